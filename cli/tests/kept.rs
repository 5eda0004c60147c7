//! Servers that keep data are killed while clients write: what was acknowledged is there afterwards, and nothing is there by half.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio_postgres::{Client, NoTls};

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
