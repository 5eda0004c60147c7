//! Which columns queries hash that codes would spare them.

use super::bound;
use super::catalog::{TableSpec, ToyCatalog};
use crate::relation::optimise::optimise;
use crate::types::DataType::{BigInt, Integer};

/// Keys of 62 bits: `p` has each once, `c` refers to them, in no order; `o` has them in order, and `few` is short.
fn catalog() -> ToyCatalog {
    let far = Some((-(1i64 << 61), 1 << 61));
    let table = |name, rows| TableSpec::new(name, rows).column("n", Integer, 100, Some((0, 99)), false);
    ToyCatalog::new([
        table("p", 100_000).column("k", BigInt, 100_000, far, true).column("near", BigInt, 900, Some((0, 900)), false),
        table("c", 1_000_000).column("k", BigInt, 90_000, far, false).column("g", BigInt, 500, far, false),
        table("o", 50_000).column("k", BigInt, 10_000, far, false).sorted(),
        table("few", 1_000).column("k", BigInt, 1_000, far, true),
    ])
}

#[test]
fn columns_that_are_hashed_are_found() {
    let catalog = catalog();
    let name = |(handle, column): (crate::catalog::TableHandle, usize)| {
        let table = ["p", "c", "o", "few"].map(|name| catalog.table(name).expect("it is there"));
        let table = table.into_iter().find(|table| table.handle == handle).expect("it is one of them");
        format!("{}.{}", table.name, table.fields[column].name)
    };
    for (sql, expected) in [
        ("select count(*) from p join c on p.k = c.k", "c.k with p.k"),
        ("select count(*) from c join p on c.k = p.k and p.n = 3", "c.k with p.k"),
        ("select count(p.n) from c left join p on p.k = c.k", "c.k with p.k"),
        ("select count(*) from c where k in (select k from p where n < 3)", "c.k with p.k"),
        ("select count(*) from p where not exists (select 1 from c where c.k = p.k)", "c.k with p.k"),
        ("select count(*) from p, c where p.k + 0 = c.k", ""),
        ("select count(*) from p join c on p.near = c.n", ""),
        // Both in groups and joined: each once.
        (
            "select p.n, sum(s) from (select k, sum(n) as s from c group by k) as c join p on p.k = c.k group by p.n",
            "c.k with p.k, c.k",
        ),
        ("select g, count(*), count(distinct k) from c group by g", "c.g, c.k"),
        ("select distinct g, n from c", "c.g"),
        ("select k from c union select k from p", "c.k with p.k, c.k"),
        ("select k from c union all select k from p", ""),
        ("select n, row_number() over (partition by g order by n) from c", "c.g"),
        ("with a as (select k as x, n from c) select count(*) from a join a as b on a.x = b.x and a.n < b.n", "c.k"),
        // What is different, or in order, is not hashed alone; few rows are hashed in no time.
        ("select k, count(*) from p group by k", ""),
        ("select k, count(*) from o group by k", ""),
        ("select count(*) from o join p on o.k = p.k", ""),
        ("select count(*) from o join c on o.k = c.k", "c.k with o.k"),
        // What is compared within a row is not.
        ("select count(*) from c where k = g", ""),
        ("select count(*) from c join p on p.n = c.n and c.k = c.g", ""),
        ("select count(*) from c a, c b where a.k = b.g", "c.k with c.g"),
        ("select count(*) from few join c on few.k = c.k", ""),
        ("select count(*) from c where k = 77", ""),
    ] {
        let keys = optimise(bound(sql, &catalog)).far_keys();
        let shown = keys.iter().map(|key| match key.with {
            Some(with) => format!("{} with {}", name(key.column), name(with)),
            None => name(key.column),
        });
        assert_eq!(shown.collect::<Vec<_>>().join(", "), expected, "{sql}");
    }
}
