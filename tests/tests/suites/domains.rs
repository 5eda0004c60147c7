//! Keys that lie far apart: tables store codes of a domain in their place. Each query is asked once by such a key and once by
//! the small number that it was made of, and both have to give the same rows, on each backend. And what is proven of
//! such keys, when, and of which rows.

use multiloop::{Session, Value};
use multiloop_tests::{Answer, WAYS, answer};

/// A number of 63 bits for a small one: other numbers get others.
fn key_of(id: &str) -> String {
    format!("cast(cast({id} as decimal(38, 0)) * 6364136223846793005 % 9223372036854775783 as bigint)")
}

fn done(session: &Session, sql: &str) {
    let found = answer(session, sql);
    assert!(matches!(found, Answer::Done(_)), "{sql}: {found:?}");
}

/// `item` has each of 5000 keys once, and names it; `sale` has 9001 rows of 4000 of them and of 900 that are no item's, now
/// and then NULL; `item` is loaded first, or last. `small` is no larger than that it stays as it is.
fn load(session: &Session, item_first: bool) {
    let digits = "(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as v(d)";
    done(session, &format!("create table digit as select * from {digits}"));
    done(
        session,
        "create table number as select a.d * 1000 + b.d * 100 + c.d * 10 + d.d as n
         from digit a, digit b, digit c, digit d order by n",
    );
    let key = key_of("id");
    let item = format!(
        "create table item as select id, {key} as key, id % 7 as kind from (select n as id from number where n < 5000) as i"
    );
    let sale = format!(
        "insert into sale select id, {key} as key, n as w, n % 10 as day
         from (select n, case when n % 11 > 0 then n * 37 % 4900 + case when n % 5 = 0 then 1000 else 0 end end as id
               from number where n < 9001) as s"
    );
    done(session, "create table sale (id int, key bigint, w int, day int)");
    let both = if item_first { [&item, &sale] } else { [&sale, &item] };
    both.into_iter().for_each(|sql| done(session, sql));
    done(
        session,
        &format!("create table small as select id, {key} as key from (select n as id from number where n < 50) as i"),
    );
}

/// The same with codes in the place of keys, since queries have asked.
fn load_coded(session: &Session, item_first: bool) {
    load(session, item_first);
    for _ in 0..2 {
        answer(session, "select count(*) from sale join item on sale.key = item.key");
    }
}

/// Queries by `{k}`, whose results have no key.
const QUERIES: &[&str] = &[
    "select count(*), sum(w), sum(kind) from sale, item where sale.{k} = item.{k}",
    "select count(*), count(kind), sum(w) from sale left join item on sale.{k} = item.{k}",
    "select count(*), count(kind), count(w) from sale full join item on sale.{k} = item.{k}",
    "select count(*), sum(kind) from item where {k} in (select {k} from sale where day < 3)",
    "select count(*), sum(kind) from item where {k} not in (select {k} from sale where day < 3)",
    "select count(*), sum(kind) from item where {k} not in (select {k} from sale where day < 3 and {k} is not null)",
    "select count(*), sum(kind) from item where not exists (select 1 from sale where sale.{k} = item.{k} and w > 4000)",
    "select count(*), sum(w) from sale s where w = (select max(w) from sale t where t.{k} = s.{k})",
    "select count(distinct {k}), count({k}), count(*) from sale",
    "select day, count(distinct {k}) from sale group by day order by day",
    "select count(*), sum(n), max(n) from (select {k}, count(*) as n from sale group by {k}) as g",
    "select item.id, n from (select {k}, count(*) as n from sale group by {k} having sum(w) > 9000) as g
     join item on g.{k} = item.{k} order by item.id",
    "select count(*) from (select {k} from sale union select {k} from item) as u",
    "select count(*) from (select {k} from sale union all select {k} from item) as u",
    "select count(*) from (select {k} from sale intersect select {k} from item) as u",
    "select count(*) from (select {k} from item except select {k} from sale) as u",
    "select count(*), count({k}) from (select distinct {k}, day from sale) as d",
    "select count(*) from sale a join sale b on a.{k} = b.{k} and a.day < b.day",
    "select count(*) from sale a join sale b on a.{k} is not distinct from b.{k} and a.day = b.day and a.w < 500",
    "select count(*), sum(w) from sale join small on sale.{k} = small.{k}",
    "select count(*) from small where {k} in (select {k} from sale)",
    "select count(*) from (select coalesce(sale.{k}, item.{k}) as k from sale full join item on sale.{k} = item.{k}) as c
     join item on c.k = item.{k}",
    "with best as (select {k}, max(w) as w from sale group by {k})
     select count(*), sum(b.w) from best b join item on b.{k} = item.{k} left join best c on c.{k} = b.{k} and c.w > 8000",
    "select kind, count(*) from item join (select {k} from sale union select {k} from small) as u on u.{k} = item.{k}
     group by kind order by kind",
];

/// Queries about `key` alone, and the same said by `id`.
fn values() -> Vec<(String, String)> {
    let key = key_of("id");
    let constant = |id: i64| (i128::from(id) * 6_364_136_223_846_793_005 % 9_223_372_036_854_775_783).to_string();
    let pair = |by: &str| {
        let query = format!("select count(*), sum(w) from sale where {by}");
        (query.clone(), query.replace("key", &key))
    };
    vec![
        pair("key is null"),
        pair(&format!("key = {}", constant(1000))),
        pair(&format!("key = {}", constant(6000))),
        pair(&format!("(key = {}) is not null", constant(6000))),
        pair(&format!("key <> {}", constant(1000))),
        pair(&format!("key in ({}, {}, {})", constant(1000), constant(37), constant(6000))),
        pair(&format!("key not in ({}, {})", constant(1000), constant(6000))),
        pair("key < 1000000000000000000"),
        pair("key between 1000000000000000000 and 4000000000000000000 and day < 5"),
        (
            "select min(key), max(key), sum(key % 1000) from sale".to_owned(),
            format!("select min({key}), max({key}), sum({key} % 1000) from sale"),
        ),
        (
            "select key, w from sale order by key desc, w limit 20".to_owned(),
            format!("select {key}, w from sale order by 1 desc, w limit 20"),
        ),
        (
            "select key, count(*) from sale group by key order by 2 desc, 1 limit 20".to_owned(),
            format!("select {key}, count(*) from sale group by id order by 2 desc, 1 limit 20"),
        ),
        (
            "select key + 1, day from sale order by w limit 9 offset 8992".to_owned(),
            format!("select {key} + 1, day from sale order by w limit 9 offset 8992"),
        ),
        (
            "select count(*) from sale join item on sale.key < item.key and kind = 1 and day = 2".to_owned(),
            format!(
                "select count(*) from (select day, {key} as k from sale) as a join (select kind, {key} as k from item) as b on a.k < b.k and kind = 1 and day = 2"
            ),
        ),
    ]
}

#[test]
fn codes_answer_as_values_do() {
    // Without rules each pair of rows would be looked at.
    let by = |way: usize| {
        for item_first in [true, false] {
            let session = WAYS[way].session();
            load(&session, item_first);
            // By hashes first, then by codes.
            check(&session);
            check(&session);
        }
    };
    std::thread::scope(|scope| {
        for way in [0, 2] {
            scope.spawn(move || by(way));
        }
    });
}

fn check(session: &Session) {
    let rows = |sql: &str| match answer(session, sql) {
        Answer::Rows(_, rows) => rows,
        other => panic!("{sql}: {other:?}"),
    };
    for query in QUERIES {
        let (by_key, by_id) = (query.replace("{k}", "key"), query.replace("{k}", "id"));
        assert_eq!(rows(&by_key), rows(&by_id), "{by_key}");
    }
    for (by_key, by_id) in values() {
        assert_eq!(rows(&by_key), rows(&by_id), "{by_key}");
    }
}

#[test]
fn columns_share_a_domain() {
    for item_first in [true, false] {
        let session = WAYS[2].session();
        load(&session, item_first);
        let explained = |sql: &str| format!("{:?}", answer(&session, &format!("explain {sql}")));
        assert!(!explained("select key from item, sale").contains("values["), "a load makes no codes");
        for _ in 0..2 {
            answer(&session, "select count(*) from sale where key in (select key from item)");
        }
        let join = explained("select count(*) from sale join item on sale.key = item.key");
        assert!(!join.contains("values["), "codes are joined: {join}");
        let shown = explained("select key from item");
        assert!(shown.contains("values["), "codes are looked up: {shown}");
    }
}

#[test]
fn rows_are_appended() {
    let session = WAYS[2].session();
    load_coded(&session, true);
    done(&session, &format!("insert into item select id, {} as key, 3 from (select 7777 as id) as i", key_of("id")));
    done(&session, "insert into sale select id, key, 10000, 11 from item where id > 4990");
    check(&session);
    let explained =
        format!("{:?}", answer(&session, "explain select count(*) from sale join item on sale.key = item.key"));
    assert!(!explained.contains("values["), "codes are joined: {explained}");
    let prepared = session.prepare("select count(*), max(id) from item where key = $1").expect("it is right");
    for (parameter, rows) in [(Value::Null, 0), (Value::Int(5), 0), (Value::Int(6_364_136_223_846_793_005), 1)] {
        let found =
            multiloop_tests::text_rows(prepared.execute(&session, &[parameter]).expect("it runs")).expect("rows come");
        assert_eq!(found[0][0], rows.to_string());
    }
}

/// `thing` has each of 75,000 names once; `visit` has 320,000 rows of 70,000 of them and of 1,000 that no thing has, now and
/// then NULL: a dictionary that is large.
fn load_names(session: &Session, things_first: bool) {
    load_coded(session, true);
    done(session, "create table digits as select a.n * 10 + b.d as n from number a, digit b");
    let name = "'the thing that is called ' || (id * 7919 % 100000) || '.'";
    let thing = format!(
        "create table thing as select id, {name} as key from (select n as id from digits where n < 75000) as t"
    );
    let visit = format!(
        "create table visit as select id, {name} as key, w from (select n % 7 + d as w,
         case when (n + d) % 13 > 0 then 4000 + (n * 17 + d * 20011) % 72000 end as id
         from digits, digit where n < 32000) as v"
    );
    let both = if things_first { [&thing, &visit] } else { [&visit, &thing] };
    both.into_iter().for_each(|sql| done(session, sql));
}

#[test]
fn several_tables_follow_one_that_comes_last() {
    let session = WAYS[2].session();
    load_coded(&session, true);
    done(&session, "create table digits as select a.n * 10 + b.d as n from number a, digit b");
    let name = "'the thing that is called ' || (id * 7919 % 100000) || '.'";
    for (table, from) in [("left_part", 0), ("right_part", 40_000), ("thing", 15_000)] {
        let rows = format!("select n + {from} as id from digits where n < 60000");
        done(&session, &format!("create table {table} as select id, {name} as key from ({rows}) as r"));
    }
    let visits = "select 20000 + n % 70000 as id from digits, digit where d < 4";
    done(&session, &format!("create table visit as select id, {name} as key from ({visits}) as v"));
    for query in [
        "select count(*), sum(a.id) from left_part a join right_part b on a.{k} = b.{k}",
        "select count(*), sum(a.id) from visit v join right_part a on v.{k} = a.{k} join thing t on t.{k} = a.{k}",
        "select count(*) from (select {k} from left_part union select {k} from right_part) as u",
    ] {
        let (by_key, by_id) = (query.replace("{k}", "key"), query.replace("{k}", "id"));
        assert_eq!(answer(&session, &by_key), answer(&session, &by_id), "{by_key}");
        let explained = format!("{:?}", answer(&session, &format!("explain {by_key}")));
        assert!(!explained.contains("values["), "codes are enough: {explained}");
    }
}

#[test]
fn names_are_codes_whoever_comes_first() {
    const QUERIES: &[&str] = &[
        "select count(*), sum(w), sum(thing.id) from visit join thing on visit.{k} = thing.{k}",
        "select count(*), count(thing.id), sum(w) from visit left join thing on visit.{k} = thing.{k}",
        "select count(*), sum(id) from thing where {k} not in (select {k} from visit where w < 4 and {k} is not null)",
        "select count(*), sum(id) from thing where exists (select 1 from visit where visit.{k} = thing.{k} and w > 12)",
        "select count(*), sum(n) from (select {k}, count(*) as n from visit group by {k} having sum(w) > 40) as g",
        "select count(distinct {k}), count(*) from visit",
        "select count(*) from (select {k} from visit intersect select {k} from thing) as i",
    ];
    for things_first in [true, false] {
        let session = WAYS[2].session();
        load_names(&session, things_first);
        let rows = |sql: &str| match answer(&session, sql) {
            Answer::Rows(_, rows) => rows,
            other => panic!("{sql}: {other:?}"),
        };
        for query in QUERIES {
            let (by_key, by_id) = (query.replace("{k}", "key"), query.replace("{k}", "id"));
            assert_eq!(rows(&by_key), rows(&by_id), "{by_key}");
            let explained = format!("{:?}", rows(&format!("explain {by_key}")));
            assert!(!explained.contains("values["), "codes are enough: {explained}");
        }
        let names = "'the thing that is called ' || (id * 7919 % 100000) || '.'";
        for (by_key, by_id) in [
            (
                "select count(*) from visit where key like '%7.'",
                format!("select count(*) from visit where {names} like '%7.'"),
            ),
            (
                "select min(key), max(key), max(length(key)) from visit",
                format!("select min({names}), max({names}), max(length({names})) from visit"),
            ),
            (
                "select key, w from visit order by key, w limit 30",
                format!("select {names}, w from visit order by 1, w limit 30"),
            ),
            (
                "select count(*) from visit where key = 'the thing that is called 7919.'",
                "select count(*) from visit where id = 1".to_owned(),
            ),
            (
                "select count(*) from visit where key in ('x', 'the thing that is called 86355.')",
                "select count(*) from visit where id = 70045".to_owned(),
            ),
        ] {
            assert_eq!(rows(by_key), rows(&by_id), "{by_key}");
        }
    }
}

#[test]
fn rows_that_are_inserted_one_by_one_are_codes() {
    let session = WAYS[2].session();
    load_names(&session, true);
    let rows = |sql: &str| match answer(&session, sql) {
        Answer::Rows(_, rows) => rows,
        other => panic!("{sql}: {other:?}"),
    };
    let names = "'the thing that is called ' || (id * 7919 % 100000) || '.'";
    for number in 0..150 {
        // Names that there are, others, and NULL.
        let id = match number % 5 {
            0 => "null".to_owned(),
            1 => (4_000 + number * 17).to_string(),
            _ => (80_000 + number / 2).to_string(),
        };
        let from = format!("from (select cast({id} as int) as id) as i");
        done(&session, &format!("insert into visit select id, {names}, 10 {from}"));
        if number % 10 == 3 {
            done(&session, &format!("insert into thing select id, {names} {from}"));
        }
        let query = "select count(*), sum(w), sum(thing.id) from visit join thing on visit.{k} = thing.{k}";
        if number % 30 == 29 {
            assert_eq!(rows(&query.replace("{k}", "key")), rows(&query.replace("{k}", "id")), "behind {number}");
        }
    }
    for query in [
        "select count(*), sum(w), sum(thing.id) from visit join thing on visit.{k} = thing.{k}",
        "select count(*), count(thing.id), sum(w) from visit left join thing on visit.{k} = thing.{k}",
        "select count(distinct {k}), count({k}), count(*) from visit",
        "select count(*), sum(n) from (select {k}, count(*) as n from visit group by {k} having sum(w) > 40) as g",
    ] {
        let (by_key, by_id) = (query.replace("{k}", "key"), query.replace("{k}", "id"));
        assert_eq!(rows(&by_key), rows(&by_id), "{by_key}");
        let explained = format!("{:?}", rows(&format!("explain {by_key}")));
        assert!(!explained.contains("values["), "codes are enough: {explained}");
    }
    let by_id = format!("select id, {names}, w from visit order by w desc, id, 2 limit 200");
    assert_eq!(rows("select id, key, w from visit order by w desc, id, 2 limit 200"), rows(&by_id));
    let by_id = format!("select count(*), min({names}), max({names}) from visit where {names} like '%7.'");
    assert_eq!(rows("select count(*), min(key), max(key) from visit where key like '%7.'"), rows(&by_id));
}

#[test]
fn one_inserts_while_others_read() {
    // Codes are there before, or come meanwhile.
    for load in [load, load_coded] {
        let session = WAYS[2].session();
        load(&session, true);
        insert_while_others_read(&session);
    }
}

fn insert_while_others_read(session: &Session) {
    let count = |session: &Session, sql: &str| match answer(session, sql) {
        Answer::Rows(_, rows) => rows[0].iter().map(|value| value.parse().expect("a number")).collect::<Vec<u64>>(),
        other => panic!("{sql}: {other:?}"),
    };
    let query = "select count(*), sum(w) from sale join item on sale.key = item.key where w >= 20000";
    let all = "select count(*) from sale where w >= 20000";
    let (rows, key) = (300u64, key_of("id"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let session = session.engine().session();
            for row in 0..rows {
                // Each is an item's; now and then the item comes just before, under a key of its own.
                let id = if row % 7 == 0 { 50_000 + row } else { row };
                if row % 7 == 0 {
                    done(&session, &format!("insert into item select id, {key}, 1 from (select {id} as id) as i"));
                }
                done(
                    &session,
                    &format!("insert into sale select id, {key}, {}, 1 from (select {id} as id) as i", 20_000 + row),
                );
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let session = session.engine().session();
                let mut last = 0;
                for _ in 0..80 {
                    let found = match answer(&session, query) {
                        Answer::Rows(_, found) => found,
                        other => panic!("{other:?}"),
                    };
                    let joined: u64 = found[0][0].parse().expect("a number");
                    // The first so many: what is seen is what was inserted by then, whole.
                    let sum: u64 = (0..joined).map(|row| 20_000 + row).sum();
                    assert_eq!(found[0][1], if joined == 0 { "NULL".to_owned() } else { sum.to_string() });
                    assert!(joined >= last && count(&session, all)[0] >= joined);
                    last = joined;
                }
            });
        }
    });
    assert_eq!(count(session, query)[0], rows);
    check(session);
}

#[test]
fn keys_of_inserted_rows_are_looked_up() {
    let session = WAYS[2].session();
    load_coded(&session, true);
    let key = key_of("id");
    let sqlstate = |sql: &str| match answer(&session, sql) {
        Answer::Done(_) => String::new(),
        Answer::Error(sqlstate, ..) => sqlstate,
        other => panic!("{sql}: {other:?}"),
    };
    // In no order, so that no range and no statistic tells; of codes, text, several columns, and numbers that look different.
    done(
        &session,
        "create table keyed (key bigint unique, name text primary key, a int, b text, n numeric, unique (a, b), unique (n))",
    );
    let values = |id: &str| {
        format!(
            "select {key}, 'name ' || (id * 7919 % 100003), id % 100, case when id % 10 > 0 then 'b ' || id / 100 end,
             id * 7919 % 100003 / 1.0 from (select {id} as id) as i"
        )
    };
    let many = values("n").replace("as id) as i", "as id from number) as i");
    assert_eq!(sqlstate(&format!("insert into keyed {many}")), "");
    for id in (20_000..20_120).step_by(3) {
        let new = values(&id.to_string());
        assert_eq!(sqlstate(&format!("insert into keyed {new}")), "", "{id}");
        // Again, and together with one that is new.
        assert_eq!(sqlstate(&format!("insert into keyed {new}")), "23505", "{id}");
        let both = format!("{} union all {}", values(&(id + 1).to_string()), values("77"));
        assert_eq!(sqlstate(&format!("insert into keyed {both}")), "23505", "{id}");
        // One column of them is enough.
        for (column, value) in
            [("key", format!("cast({} as bigint)", key.replace("id", "5"))), ("name", "'name 7919'".to_owned())]
        {
            let columns = if column == "key" { "key, name" } else { "name, a" };
            let values = if column == "key" { format!("{value}, 'new {id}'") } else { format!("{value}, 1") };
            assert_eq!(sqlstate(&format!("insert into keyed ({columns}) select {values}")), "23505", "{column}");
        }
        assert_eq!(sqlstate(&format!("insert into keyed (name, n) values ('n {id}', 7919.000)")), "23505");
        assert_eq!(sqlstate(&format!("insert into keyed (name, a, b) values ('ab {id}', 1, 'b 0')")), "23505");
        // NULLs are unlike each other.
        assert_eq!(sqlstate(&format!("insert into keyed (name, a) values ('null {id}', 1)")), "");
        assert_eq!(sqlstate(&format!("insert into keyed (name) values ('null {id}')")), "23505");
    }
}

/// 5000 keys that are all different, in no order: more than are looked at when they are loaded.
fn load_likely(session: &Session, table: &str) {
    let key = key_of("i");
    done(session, &format!("create table {table} as select {key} as key, i from generate_series(1, 5000) as g(i)"));
}

fn explained(session: &Session, query: &str) -> String {
    format!("{:?}", answer(session, &format!("explain {query}")))
}

#[test]
fn what_is_likely_of_keys_is_found_out_by_who_asks() {
    let session = WAYS[2].session();
    load_likely(&session, "t");
    let distinct = |table: &str| {
        let query = format!("select count(distinct key) from {table}");
        explained(&session, &query).contains("distinct")
    };
    assert!(!distinct("t"), "the first who asks gets a plan by what has been found out");
    // The last row is as the first.
    done(&session, "create table u as select key, i from t union all select key, 5001 from t where i = 1 order by i");
    assert!(distinct("u"));
    done(&session, "create table v as select key || 'th' as key from t");
    assert!(!distinct("v"));
    let group = "select key, max(i) from t group by key";
    assert!(explained(&session, group).contains("Project"), "each group is a row");
}

/// Rows by keys that are likely to be different, and are or not.
fn check_likely(session: &Session, keys: i64, rows: i64) {
    for (query, expected) in [
        ("select count(distinct key) from t", keys),
        ("select count(*) from (select key from t where key is not null group by key) as g", keys),
        ("select count(*) from (select distinct key from t where key is not null) as d", keys),
        ("select sum(n) from (select key, count(*) as n from t group by key) as g", rows),
        ("select count(*) from t where key in (select key from other)", 3 + (rows - 5000) / 2),
    ] {
        let found = answer(session, query);
        assert!(matches!(&found, Answer::Rows(_, rows) if rows[0][0] == expected.to_string()), "{query}: {found:?}");
    }
}

#[test]
fn keys_that_are_not_what_was_likely() {
    for way in [0, 2] {
        let session = WAYS[way].session();
        load_likely(&session, "t");
        done(&session, "create table other as select key from t where i in (1, 2, 5000)");
        check_likely(&session, 5000, 5000);
        let of_first = session.prepare("select count(*) from t where key = $1 group by key").expect("it is right");
        let found = |key: i64| {
            let rows = of_first.execute(&session, &[Value::Int(key)]).expect("it runs");
            multiloop_tests::text_rows(rows).expect("rows come")
        };
        assert_eq!(found(6_364_136_223_846_793_005), [["1"]]);
        // What a transaction has seen of its own rows is nobody else's.
        done(&session, "begin");
        done(&session, "insert into t values ((select key from t where i = 1), 0), (null, 0)");
        check_likely(&session, 5000, 5002);
        done(&session, "rollback");
        check_likely(&session, 5000, 5000);
        done(&session, "insert into t values ((select key from t where i = 1), 0), (null, 0)");
        check_likely(&session, 5000, 5002);
        assert_eq!(found(6_364_136_223_846_793_005), [["2"]]);
    }
}

#[test]
fn declared_keys_are_held_against_all_rows() {
    let session = WAYS[2].session();
    load_likely(&session, "t");
    done(&session, "create table p (key bigint primary key, i int)");
    let refused = |sql: &str| {
        let found = answer(&session, sql);
        assert!(matches!(&found, Answer::Error(code, _) if code == "23505"), "{sql}: {found:?}");
    };
    refused("insert into p select key, i from t union all select key, 5001 from t where i = 1 order by i");
    done(&session, "insert into p select key, i from t");
    refused("insert into p select key, 0 from t where i = 4999");
    refused("insert into p select key + 1, 0 from t where i > 10 union all select key, 1 from t where i = 5000");
    done(&session, "insert into p select key + 1, 0 from t");
    assert!(!explained(&session, "select count(distinct key) from p").contains("distinct"));
}

/// Two tables of keys that are all different, in no order: 70,000 of them, and 100,000 of which some are the same.
fn load_far(session: &Session) {
    let key = key_of("id");
    for (table, ids) in
        [("short", "generate_series(1, 70000) as g(id)"), ("long", "generate_series(40001, 140000) as g(id)")]
    {
        let rows = format!("select {key} as key, id, id % 10 as day from {ids}");
        done(session, &format!("create table {table} as {rows}"));
    }
}

const FAR_QUERIES: &[&str] = &[
    "select count(*), sum(s.id), sum(l.day) from short s join long l on s.{k} = l.{k}",
    "select count(*), count(l.id), sum(s.id) from short s left join long l on s.{k} = l.{k} and l.day < 4",
    "select count(*), count(l.id), count(s.id) from short s full join long l on s.{k} = l.{k}",
    "select count(*), sum(id) from long where {k} in (select {k} from short where day = 3)",
    "select count(*), sum(id) from short where not exists (select 1 from long where long.{k} = short.{k} and day > 2)",
    "with l as (select {k} as of, max(day) as day from long group by {k})
     select l.day, count(*) from short s join l on l.of = s.{k} group by 1 order by 1",
    "select count(*) from short a join short b on a.{k} = b.{k} where a.day < 5",
    "select count(*) from (select {k} from short except select {k} from long) as e",
];

/// Whether a table stores codes of keys: what is read beside them are the values of a domain.
fn has_codes(session: &Session, table: &str) -> bool {
    explained(session, &format!("select min(key) from {table}")).contains("values[")
}

/// Asks each query by key and by number.
fn check_far(session: &Session) {
    for query in FAR_QUERIES {
        let (by_key, by_id) = (query.replace("{k}", "key"), query.replace("{k}", "id"));
        assert_eq!(answer(session, &by_key), answer(session, &by_id), "{by_key}");
    }
}

#[test]
fn keys_that_are_joined_again_get_codes() {
    let session = WAYS[2].session();
    load_far(&session);
    let query = FAR_QUERIES[0].replace("{k}", "key");
    let mut found = Vec::new();
    for run in 0..4 {
        assert_eq!(has_codes(&session, "long"), run > 1, "run {run}");
        found.push(answer(&session, &query));
    }
    assert!(found.iter().all(|of| *of == found[0]));
    check_far(&session);
    // Rows that come later have codes, too; who is in a transaction sees what it saw.
    done(&session, "begin isolation level repeatable read");
    let seen = answer(&session, &query);
    let other = session.engine().session();
    done(
        &other,
        &format!("insert into long select {key}, id, 3 from generate_series(1, 9) as g(id)", key = key_of("id")),
    );
    assert_eq!(answer(&session, &query), seen);
    done(&session, "commit");
    assert_ne!(answer(&session, &query), seen);
    check_far(&session);
    assert!(has_codes(&session, "long"));
}

#[test]
fn tables_that_grow_get_codes() {
    let session = WAYS[2].session();
    load_far(&session);
    for number in 0..4 {
        let row = format!("select {key}, id, 3 from (select {number} as id) as i", key = key_of("id"));
        done(&session, &format!("insert into long {row}"));
        done(&session, &format!("insert into short {row}"));
        answer(&session, "select count(*) from short s join long l on s.key = l.key");
    }
    assert!(has_codes(&session, "short"));
    check_far(&session);
}

#[test]
fn who_has_no_time_makes_no_codes() {
    let session = WAYS[2].session();
    load_far(&session);
    // Codes of 170,000 rows take some 8 ms: more than a quarter of 30 ms, and the queries less than that, or they fail.
    done(&session, "set statement_timeout = '30ms'");
    let query = FAR_QUERIES[0].replace("{k}", "key");
    for _ in 0..4 {
        answer(&session, &query);
    }
    done(&session, "reset statement_timeout");
    assert!(!has_codes(&session, "long"));
    answer(&session, &query);
    answer(&session, &query);
    assert!(has_codes(&session, "long"), "somebody else has");
}

#[test]
fn tables_without_room_for_codes_keep_their_partners_as_they_are() {
    let session = WAYS[2].session();
    load_far(&session);
    // Batches of the caller's are chunks, of any length, and are kept.
    let batches = session.sql("select * from short").and_then(|rows| rows.collect_batches()).expect("rows come");
    let short = batches.iter().flat_map(|batch| {
        let (half, rows) = (batch.num_rows() / 2, batch.num_rows());
        [batch.slice(0, half), batch.slice(half, rows - half)]
    });
    session.register("kept", short.collect()).expect("they are registered");
    for _ in 0..4 {
        answer(&session, "select count(*) from kept s join long l on s.key = l.key");
    }
    assert!(!has_codes(&session, "long"));
    check_far(&session);
}

#[test]
fn prepared_joins_get_codes() {
    let session = WAYS[2].session();
    load_far(&session);
    let prepared = session
        .prepare("select sum(s.id) from short s join long l on s.key = l.key where l.day < $1")
        .expect("it is right");
    let run =
        || multiloop_tests::text_rows(prepared.execute(&session, &[Value::Int(4)]).expect("it runs")).expect("rows");
    let first = run();
    for _ in 0..4 {
        assert_eq!(run(), first);
    }
    assert!(has_codes(&session, "short"));
    check_far(&session);
}

#[test]
fn a_transaction_that_joins_again_goes_on() {
    let session = WAYS[2].session();
    load_far(&session);
    let other = session.engine().session();
    let query = FAR_QUERIES[0].replace("{k}", "key");
    let before = answer(&session, &query);
    // Its own rows have no codes; those of others get them meanwhile.
    done(&session, "begin");
    done(
        &session,
        &format!(
            "insert into short select {key}, id, 3 from generate_series(140001, 140009) as g(id)",
            key = key_of("id")
        ),
    );
    for _ in 0..3 {
        assert_eq!(answer(&session, &query), before);
        assert_eq!(answer(&other, &query), before);
    }
    check_far(&session);
    check_far(&other);
    done(&session, "commit");
    check_far(&session);
    // Few rows, or many for each, are joined by hashes.
    done(&session, "create table few as select key + 1 as key, id, day from short where id < 4000");
    let few = "select count(*) from few join long on few.key = long.key + 1";
    for _ in 0..3 {
        answer(&session, few);
        answer(&session, "select count(*) from few join long on few.key = long.key");
    }
    assert!(!has_codes(&session, "few"));
}

/// Two tables of one domain, to which each then adds values of its own: a plan that was kept gives each table's own values.
#[test]
fn domains_that_grow_apart() {
    for way in WAYS {
        let session = way.session();
        load_coded(&session, true);
        done(
            &session,
            "prepare both (int, int) as select s.key, i.key from sale s, item i where s.w = $1 and i.id = $2",
        );
        let check = |w: i64, id: i64, keys: [i64; 2]| {
            let found = session.query(&format!("execute both ({w}, {id})"), ()).and_then(|rows| {
                rows.map(|row| row.and_then(|row| Ok([row.get::<i64>(0)?, row.get::<i64>(1)?])))
                    .collect::<Result<Vec<_>, _>>()
            });
            assert_eq!(found.unwrap_or_else(|error| panic!("{w} {id}: {error}")), [keys], "{}", way.name);
        };
        let key = |id: i64| (i128::from(id) * 6_364_136_223_846_793_005 % 9_223_372_036_854_775_783) as i64;
        for id in 1..9 {
            check(id, id, [key(id * 37 % 4900 + if id % 5 == 0 { 1000 } else { 0 }), key(id)]);
        }
        for n in 1..9 {
            let (a, b) = (1_000_000_000_000_000_000 + n, 2_000_000_000_000_000_000 + n);
            done(&session, &format!("insert into sale values (0, {a}, {}, 1)", 20_000 + n));
            done(&session, &format!("insert into item values ({}, {b}, 1)", 20_000 + n));
            check(20_000 + n, 20_000 + n, [a, b]);
            check(3, 20_000 + n, [key(111), b]);
        }
    }
}
