//! Servers that keep data are killed while clients write, or have a disk that gets full: what was acknowledged is there afterwards,
//! and nothing is there by half.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio_postgres::{Client, Error, NoTls};

/// How often a server is killed; `MULTILOOP_KILLS` says another number.
const KILLS: usize = 12;

/// Clients that write.
const WRITERS: i64 = 4;

struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn start(data: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_multiloop"))
            .args(["serve", "--listen", "127.0.0.1:0", "--threads", "2", "--log-format", "none", "--data"])
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let port = out.lines().map_while(Result::ok).find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let ["psql", "-h", _, "-p", port, ..] = words[..] else { return None };
            port.parse().ok()
        });
        Served { port: port.expect("it says where it listens"), child }
    }

    async fn connect(&self) -> Client {
        let at = format!("host=127.0.0.1 port={} user=postgres dbname=multiloop", self.port);
        let (client, connection) = tokio_postgres::connect(&at, NoTls).await.expect("it lets clients in");
        // It ends with the server.
        tokio::spawn(async { drop(connection.await) });
        client
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // SIGKILL: it has no time for anything.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes until the server is gone: the last round that was acknowledged.
async fn write(client: Client, me: i64, from: i64, acknowledged: Arc<AtomicI64>) {
    for round in from.. {
        let other = (me + 1) % WRITERS;
        // Money goes from one to another, a row comes, and a row goes.
        let statements = format!(
            "BEGIN; UPDATE accounts SET money = money - {round} WHERE id = {me}; \
             UPDATE accounts SET money = money + {round} WHERE id = {}; \
             INSERT INTO rounds VALUES ({me}, {round}, repeat('x', {})); \
             DELETE FROM rounds WHERE writer = {me} AND round <= {round} - 5; COMMIT",
            WRITERS + other,
            round % 700,
        );
        match client.batch_execute(&statements).await {
            Ok(()) => acknowledged.store(round, Ordering::SeqCst),
            Err(error) if error.code().is_some_and(|code| ["40001", "40P01"].contains(&code.code())) => {
                if client.batch_execute("ROLLBACK").await.is_err() {
                    return;
                }
                // The round counts for nothing: the next one has another number.
                continue;
            }
            Err(_) => return,
        }
    }
}

#[tokio::test(flavor = "current_thread")]
async fn killed_while_clients_write() {
    let kills = std::env::var("MULTILOOP_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let data = std::env::temp_dir().join(format!("multiloop-kept-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&data);
    let mut served = Served::start(&data);
    let setup = "CREATE TABLE accounts (id int PRIMARY KEY, money bigint NOT NULL); \
                 INSERT INTO accounts SELECT i, 0 FROM generate_series(0, 7) g(i); \
                 CREATE TABLE rounds (writer int, round int, filling text, PRIMARY KEY (writer, round))";
    served.connect().await.batch_execute(setup).await.expect("tables are made");
    let mut last = vec![0_i64; WRITERS as usize];
    for kill in 0..kills {
        let acknowledged: Vec<_> = last.iter().map(|&round| Arc::new(AtomicI64::new(round))).collect();
        let mut writers = Vec::new();
        for me in 0..WRITERS {
            let from = last[me as usize] + 1;
            let told = Arc::clone(&acknowledged[me as usize]);
            writers.push(tokio::spawn(write(served.connect().await, me, from, told)));
        }
        let checkpoints = served.connect().await;
        // Somewhere in a statement, a commit or a checkpoint.
        let pause = Duration::from_millis(20 + (kill as u64 * 7919) % 400);
        tokio::time::sleep(pause).await;
        if kill % 3 == 2 {
            let checkpoint = tokio::spawn(async move { checkpoints.batch_execute("CHECKPOINT").await });
            tokio::time::sleep(Duration::from_micros((kill as u64 * 611) % 9000)).await;
            drop(checkpoint);
        }
        drop(served);
        for writer in writers {
            writer.await.expect("a writer ends with the server");
        }
        served = Served::start(&data);
        let client = served.connect().await;
        let total: i64 = client.query_one("SELECT sum(money)::bigint FROM accounts", &[]).await.expect("a sum").get(0);
        assert_eq!(total, 0, "half of a transaction is there after kill {kill}");
        for me in 0..WRITERS {
            let told = acknowledged[me as usize].load(Ordering::SeqCst);
            let ask = "SELECT coalesce(max(round), 0)::bigint, count(*), -coalesce(min(money), 0) \
                       FROM accounts LEFT JOIN rounds ON writer = id WHERE id = $1";
            let row = client.query_one(ask, &[&(me as i32)]).await.expect("a row");
            let (round, rows): (i64, i64) = (row.get(0), row.get(1));
            // The last one may have been committed before anybody was told.
            assert!(round == told || round > told && told >= last[me as usize], "writer {me}: {round}, told {told}");
            assert!(rows <= 5, "rows that were deleted are there: {rows}");
            last[me as usize] = round;
        }
    }
    drop(served);
    std::fs::remove_dir_all(&data).expect("the folder goes");
}

#[test]
fn a_folder_that_is_open_elsewhere() {
    let data = std::env::temp_dir().join(format!("multiloop-twice-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&data);
    let served = Served::start(&data);
    let shell = |sql: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_multiloop"));
        command.args(["-q", "-t", "--csv", "-c", sql, "--data"]).arg(&data).output().expect("the shell runs")
    };
    let refused = shell("SELECT 1");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("is open in another process"), "{told}");
    drop(served);
    assert!(shell("CREATE TABLE t AS SELECT 42 AS a").status.success());
    assert_eq!(String::from_utf8_lossy(&shell("SELECT a FROM t").stdout), "42\n");
    std::fs::remove_dir_all(&data).expect("the folder goes");
}

/// A small disk, in memory, which goes with this.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// None where this user may not mount one.
    fn mount() -> Option<Self> {
        let place = std::env::temp_dir().join(format!("multiloop-full-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a folder can be made");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"]).arg(&place).output();
        if mount.as_ref().is_ok_and(|mount| mount.status.success()) {
            return Some(SmallDisk(place));
        }
        let why = mount.map_or_else(|error| error.to_string(), |it| String::from_utf8_lossy(&it.stderr).into_owned());
        eprintln!("a full disk is not tried, since none can be mounted: {}", why.trim());
        std::fs::remove_dir(&place).expect("the folder goes");
        None
    }

    fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// Takes so much room that behind it there is some for a few hundred statements.
    fn take_room(&self) {
        std::fs::write(self.0.join("filler"), vec![1_u8; 2 << 20]).expect("there is room for the filler");
    }

    fn free_room(&self) {
        std::fs::remove_file(self.0.join("filler")).expect("the filler goes");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: whatever has a file open there yet does not keep it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Characters of a page's filling.
const PAGE: usize = 12_000;

/// Text that cannot be compressed to much less than half of it.
fn filling(seed: i64) -> String {
    let mut state = seed as u64 | 1 << 40;
    let mut digit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"0123456789abcdef"[(state >> 60) as usize])
    };
    std::iter::repeat_with(&mut digit).take(PAGE).collect()
}

fn is_full(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code() == "53100")
}

/// A round of a writer: three rows in one statement, or in a transaction with a second statement.
async fn write_round(client: &Client, writer: i64, round: i64) -> Result<(), Error> {
    let text = filling(writer * 100_000 + round);
    let insert =
        format!("INSERT INTO pages SELECT {writer}, {round}, part, '{text}' FROM generate_series(1, 3) g(part)");
    if round % 2 == 0 {
        return client.batch_execute(&insert).await;
    }
    let count = format!("UPDATE odd_rounds SET rounds = rounds + 1 WHERE writer = {writer}");
    let written = client.batch_execute(&format!("BEGIN; {insert}; {count}; COMMIT")).await;
    if written.is_err() {
        client.batch_execute("ROLLBACK").await.expect("the connection lives");
    }
    written
}

/// Writes rounds until the disk is full: those that were acknowledged, and the next one.
async fn fill(client: &Client, writer: i64, from: i64) -> (Vec<i64>, i64) {
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    for round in from.. {
        match write_round(client, writer, round).await {
            Ok(()) => acknowledged.push(round),
            Err(error) => {
                assert!(is_full(&error), "round {round} of writer {writer}: {error:?}");
                refused += 1;
            }
        }
        // Smaller ones may still fit, and what has failed once may not leave anything behind.
        if refused == 3 {
            return (acknowledged, round + 1);
        }
    }
    unreachable!("no disk has room for all numbers")
}

/// Looks that there is what was acknowledged, and nothing else.
async fn check_pages(client: &Client, acknowledged: &[Vec<i64>; 2], when: &str) {
    let mut rows = 0;
    for (writer, rounds) in acknowledged.iter().enumerate() {
        let ask = format!(
            "SELECT round FROM pages WHERE writer = {writer} GROUP BY round \
             HAVING count(*) = 3 AND min(length(filling)) = {PAGE} ORDER BY round"
        );
        let found: Vec<i64> =
            client.query(&ask, &[]).await.expect("reads go on").iter().map(|row| row.get(0)).collect();
        assert_eq!(&found, rounds, "{when}: rounds of writer {writer}");
        let ask = format!("SELECT rounds FROM odd_rounds WHERE writer = {writer}");
        let odd: i64 = client.query_one(&ask, &[]).await.expect("reads go on").get(0);
        assert_eq!(odd, rounds.iter().filter(|round| *round % 2 == 1).count() as i64, "{when}: writer {writer}");
        rows += 3 * rounds.len() as i64;
    }
    let found: i64 = client.query_one("SELECT count(*) FROM pages", &[]).await.expect("reads go on").get(0);
    assert_eq!(found, rows, "{when}: rows of statements that failed");
}

#[tokio::test(flavor = "current_thread")]
async fn a_full_disk() {
    let Some(disk) = SmallDisk::mount() else { return };
    disk.take_room();
    let mut served = Served::start(&disk.data());
    let clients = [served.connect().await, served.connect().await];
    let setup = "CREATE TABLE pages (writer bigint, round bigint, part int, filling text, PRIMARY KEY (writer, round, part)); \
                 CREATE TABLE odd_rounds (writer bigint PRIMARY KEY, rounds bigint); INSERT INTO odd_rounds VALUES (0, 0), (1, 0)";
    clients[0].batch_execute(setup).await.expect("tables are made");
    let ((first, next), (second, other)) = tokio::join!(fill(&clients[0], 0, 1), fill(&clients[1], 1, 1));
    let (mut acknowledged, next) = ([first, second], next.max(other));
    assert!(acknowledged.iter().all(|rounds| rounds.len() > 10), "{acknowledged:?}");
    check_pages(&clients[1], &acknowledged, "the disk is full").await;
    // A checkpoint needs room, too, and is as if it had not been begun, or is made.
    if let Err(error) = clients[0].batch_execute("CHECKPOINT").await {
        assert!(is_full(&error), "{error:?}");
    }
    check_pages(&served.connect().await, &acknowledged, "no checkpoint could be made").await;
    disk.free_room();
    for (writer, client) in clients.iter().enumerate() {
        for round in [next, next + 1] {
            write_round(client, writer as i64, round).await.expect("there is room again");
            acknowledged[writer].push(round);
        }
    }
    check_pages(&clients[0], &acknowledged, "there is room again").await;
    // Full once more, by both; and then the process ends without a word.
    let ((first, _), (second, _)) = tokio::join!(fill(&clients[0], 0, next + 2), fill(&clients[1], 1, next + 2));
    acknowledged[0].extend(first);
    acknowledged[1].extend(second);
    drop(served);
    // There is no room for a new log: that is an error, and no harm.
    let shell = Command::new(env!("CARGO_BIN_EXE_multiloop"))
        .args(["-q", "-t", "--csv", "-c", "SELECT count(*) FROM pages", "--data"])
        .arg(disk.data())
        .output();
    let Output { status, stdout, stderr } = shell.expect("the shell runs");
    let rows = 3 * acknowledged.iter().map(Vec::len).sum::<usize>();
    let (told, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(
        if status.success() { told == format!("{rows}\n") } else { errors.contains("No space left") },
        "{told}{errors}"
    );
    // The disk has grown.
    let grown = Command::new("mount").args(["-o", "remount,size=16m"]).arg(&disk.0).status();
    assert!(grown.is_ok_and(|status| status.success()), "the disk grows");
    served = Served::start(&disk.data());
    let client = served.connect().await;
    check_pages(&client, &acknowledged, "the server has been killed with a full disk").await;
    write_round(&client, 0, next + 1000).await.expect("writing goes on");
    client.batch_execute("CHECKPOINT").await.expect("there is room for a checkpoint");
}
