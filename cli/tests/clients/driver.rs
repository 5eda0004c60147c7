//! A session of tokio-postgres, which reads and writes binary, and text in simple queries. What types it can carry is in
//! `server/tests/suites/drivers.rs`.

use crate::SCALE_FACTOR;
use crate::program::Program;
use crate::queries::{self, COUNT};
use std::future::poll_fn;
use std::time::Duration;
use tokio_postgres::types::{FromSql, Kind, ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, NoTls, SimpleQueryMessage};

/// Would take days.
const FAR: &str = "SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1";

/// Days from 1970-01-01 to 2000-01-01, where PostgreSQL's dates begin.
const EPOCH_DAYS: i64 = 10_957;

fn config(program: &Program) -> Config {
    let mut config = Config::new();
    config.host(program.address.ip().to_string()).port(program.address.port());
    config.user("u").dbname("d").connect_timeout(Duration::from_secs(30));
    config
}

async fn connect(program: &Program) -> Client {
    let (client, connection) = config(program).connect(NoTls).await.expect("it connects");
    tokio::spawn(connection);
    client
}

#[test]
fn tokio_postgres() {
    let program = Program::serve(SCALE_FACTOR);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let mut client = connect(&program).await;
        reflects(&client).await;
        runs_tpch(&client).await;
        keeps_to_transactions(&mut client).await;
        reads_piece_by_piece(&mut client).await;
        hears(&program, &client).await;
        cancels(&client).await;
    });
}

async fn reflects(client: &Client) {
    let sql =
        "SELECT table_name, count(*) FROM information_schema.columns WHERE table_schema = $1 GROUP BY 1 ORDER BY 1";
    let rows = client.query(sql, &[&"public"]).await.expect("it runs");
    let tables: Vec<(String, i64)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let wanted = [8, 16, 4, 9, 9, 5, 3, 7];
    let mut names = multiloop_tpch::TABLES;
    names.sort_unstable();
    assert_eq!(tables, names.iter().map(|name| (*name).to_owned()).zip(wanted).collect::<Vec<_>>());
    // It looks up by itself what types it does not know.
    client.batch_execute("CREATE TYPE mood AS ENUM ('sad', 'ok')").await.expect("it runs");
    let statement = client.prepare("SELECT 'ok'::mood, ARRAY['sad']::mood[]").await.expect("it is prepared");
    let labels = Kind::Enum(vec!["sad".to_owned(), "ok".to_owned()]);
    assert_eq!(*statement.columns()[0].type_().kind(), labels);
    let Kind::Array(element) = statement.columns()[1].type_().kind() else { panic!("an array has elements") };
    assert_eq!((element.name(), element.kind()), ("mood", &labels));
}

/// A value of a query as the shell prints it in CSV.
struct Shown(String);

impl<'a> FromSql<'a> for Shown {
    fn from_sql(data_type: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Shown(match *data_type {
            Type::INT8 => i64::from_sql(data_type, raw)?.to_string(),
            Type::INT4 => i32::from_sql(data_type, raw)?.to_string(),
            Type::NUMERIC => numeric(raw)?,
            Type::DATE => date(EPOCH_DAYS + i64::from(i32::from_be_bytes(raw.try_into()?))),
            _ => String::from_sql(data_type, raw)?,
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Shown(String::new()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The text of a numeric's binary form: a header of digits, weight, sign and scale, then digits of base 10,000.
fn numeric(raw: &[u8]) -> Result<String, Box<dyn std::error::Error + Sync + Send>> {
    let mut words = raw.chunks_exact(2).map(|pair| i16::from_be_bytes([pair[0], pair[1]]));
    let mut next = || words.next().ok_or("a numeric has a header");
    let (_, weight, sign, scale) = (next()?, next()?, next()?, next()?);
    let digits: Vec<i16> = words.collect();
    let digit = |place: i16| usize::try_from(weight - place).ok().and_then(|at| digits.get(at)).copied().unwrap_or(0);
    let whole: String = (0..=weight.max(0)).rev().map(|place| format!("{:04}", digit(place))).collect();
    let part: String = (1..=scale / 4 + 1).map(|place| format!("{:04}", digit(-place))).collect();
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let point = if scale > 0 { "." } else { "" };
    Ok(format!("{}{whole}{point}{}", if sign == 0 { "" } else { "-" }, &part[..usize::try_from(scale)?]))
}

/// A date by its days from 1970-01-01, of the years that TPC-H has.
fn date(mut days: i64) -> String {
    let is_leap = |year: i64| year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let mut year = 1970;
    while days >= 365 + i64::from(is_leap(year)) {
        days -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

async fn runs_tpch(client: &Client) {
    for number in 1..=COUNT {
        let read = |ending: &str| std::fs::read_to_string(queries::file(number, ending)).expect("the file is there");
        let (text, wanted) = (read("sql"), read("rows"));
        let messages = client.simple_query(&text).await.expect("it runs");
        let rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|at| row.get(at).unwrap_or_default()).collect::<Vec<_>>().join("\t") + "\n")
            }
            _ => None,
        });
        assert_eq!(rows.collect::<String>(), wanted, "query {number}, text");
        let shown = |rows: &[tokio_postgres::Row]| -> String {
            let cells =
                |row: &tokio_postgres::Row| (0..row.len()).map(|at| row.get::<_, Shown>(at).0).collect::<Vec<_>>();
            rows.iter().map(|row| cells(row).join("\t") + "\n").collect()
        };
        let rows = client.query(&text, &[]).await.expect("it runs");
        assert_eq!(shown(&rows), wanted, "query {number}, binary");
        let parameters = read("parameters");
        let parameters: Vec<&str> = parameters.lines().collect();
        let values: Vec<&(dyn ToSql + Sync)> = parameters.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
        let statement = client.prepare(&read("parameters.sql")).await.expect("it is prepared");
        for _ in 0..2 {
            let rows = client.query(&statement, &values).await.expect("it runs");
            assert_eq!(shown(&rows), wanted, "query {number}, binary, with parameters");
        }
    }
}

async fn keeps_to_transactions(client: &mut Client) {
    client.batch_execute("CREATE TABLE kept (a int)").await.expect("it runs");
    let mut transaction = client.transaction().await.expect("it begins");
    transaction.execute("INSERT INTO kept VALUES ($1)", &[&1i32]).await.expect("it runs");
    let inner = transaction.savepoint("inner").await.expect("a savepoint is set");
    inner.execute("INSERT INTO kept VALUES ($1)", &[&2i32]).await.expect("it runs");
    let error = inner.execute("SELECT 1 / $1::int", &[&0i32]).await.expect_err("nothing divides by zero");
    assert_eq!(error.code().map(|code| code.code()), Some("22012"));
    inner.rollback().await.expect("it is undone");
    transaction.execute("INSERT INTO kept VALUES ($1)", &[&3i32]).await.expect("it runs");
    transaction.commit().await.expect("it is kept");
    let rows = client.query("SELECT a FROM kept ORDER BY a", &[]).await.expect("it runs");
    assert_eq!(rows.iter().map(|row| row.get::<_, i32>(0)).collect::<Vec<_>>(), [1, 3]);
}

async fn reads_piece_by_piece(client: &mut Client) {
    let whole: i64 = client.query_one("SELECT count(*) FROM lineitem", &[]).await.expect("it runs").get(0);
    let transaction = client.transaction().await.expect("it begins");
    let sql = "SELECT l_orderkey, l_comment FROM lineitem WHERE l_orderkey > $1";
    let portal = transaction.bind(sql, &[&0i64]).await.expect("it is bound");
    let mut count = 0;
    loop {
        let rows = transaction.query_portal(&portal, 1000).await.expect("it goes on").len();
        count += rows;
        if rows < 1000 {
            break;
        }
    }
    assert_eq!(i64::try_from(count), Ok(whole));
    transaction.commit().await.expect("it ends");
}

async fn hears(program: &Program, client: &Client) {
    let (listener, mut connection) = config(program).connect(NoTls).await.expect("it connects");
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(heard) = message {
                // The test may have ended.
                let _ = sender.send((heard.channel().to_owned(), heard.payload().to_owned()));
            }
        }
    });
    listener.batch_execute("LISTEN news").await.expect("it listens");
    client.batch_execute("NOTIFY other, 'not heard'; NOTIFY news, 'first'").await.expect("it tells");
    let heard = tokio::time::timeout(Duration::from_secs(30), receiver.recv()).await.expect("it is heard soon");
    assert_eq!(heard, Some(("news".to_owned(), "first".to_owned())));
}

async fn cancels(client: &Client) {
    let token = client.cancel_token();
    let (ran, ()) = tokio::join!(client.query(FAR, &[]), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        token.cancel_query(NoTls).await.expect("the request is sent");
    });
    let error = ran.expect_err("it was cancelled");
    assert_eq!(error.code().map(|code| code.code()), Some("57014"));
    assert_eq!(client.query_one("SELECT 1", &[]).await.expect("it runs").get::<_, i32>(0), 1);
}
