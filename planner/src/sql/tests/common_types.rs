//! For all pairs of types the type, or the SQLSTATE, that PostgreSQL 15 gives each construct that unites two:
//! `common_types.tsv`, written by `tests/common_types.py`.

use super::{Toy, bind, parse};
use crate::sql::Statement;
use crate::types::{DataType, LENGTH_FREE};

const COLUMNS: [(&str, DataType); 16] = [
    ("b", DataType::Boolean),
    ("s", DataType::SmallInt),
    ("i", DataType::Integer),
    ("l", DataType::BigInt),
    ("r", DataType::Real),
    ("f", DataType::Double),
    ("n", DataType::Decimal { precision: 10, scale: 2 }),
    ("t", DataType::Text),
    ("v", DataType::VARCHAR),
    ("v5", DataType::Varchar(5)),
    ("c3", DataType::Char(3)),
    ("c5", DataType::Char(5)),
    ("d", DataType::Date),
    ("ti", DataType::Time),
    ("ts", DataType::Timestamp),
    ("iv", DataType::Interval),
];

fn sql(construct: &str, l: &str, r: &str) -> String {
    let type_of = |name| COLUMNS.iter().find(|column| column.0 == name).map(|column| column.1.to_string());
    let (lt, rt) = (type_of(l).unwrap_or_default(), type_of(r).unwrap_or_default());
    match construct {
        "union" => format!("SELECT {l} FROM p UNION ALL SELECT {r} FROM p"),
        "except" => format!("SELECT {l} FROM p EXCEPT SELECT {r} FROM p"),
        "case" => format!("SELECT CASE WHEN true THEN {l} ELSE {r} END FROM p"),
        "coalesce" => format!("SELECT coalesce({l}, {r}) FROM p"),
        "least" => format!("SELECT least({l}, {r}) FROM p"),
        "values" => format!("VALUES (NULL::{lt}), (NULL::{rt})"),
        "nullif" => format!("SELECT nullif({l}, {r}) FROM p"),
        "using" => format!("SELECT k FROM (SELECT {l} AS k FROM p) x JOIN (SELECT {r} AS k FROM p) y USING (k)"),
        "equal" => format!("SELECT {l} = {r} FROM p"),
        "less" => format!("SELECT {l} < {r} FROM p"),
        "distinct" => format!("SELECT {l} IS DISTINCT FROM {r} FROM p"),
        "between" => format!("SELECT {l} BETWEEN {r} AND {r} FROM p"),
        "in" => format!("SELECT {l} IN ({r}) FROM p"),
        "in list" => format!("SELECT NULL::{lt} IN ({r}, NULL::{lt}, NULL::{rt}) FROM p"),
        "in query" => format!("SELECT {l} IN (SELECT {r} FROM p) FROM p"),
        "any" => format!("SELECT {l} = ANY (ARRAY[{r}, {l}]) FROM p"),
        other => panic!("no such construct: {other}"),
    }
}

fn answer(toy: &Toy, sql: &str) -> String {
    let parsed = parse(sql).expect("the text is SQL");
    match bind(&parsed[0], toy, &[]) {
        Err(error) => error.sqlstate().to_owned(),
        Ok(Statement::Query(query)) => match query.columns.get(query.output[0].1).data_type {
            DataType::Decimal { .. } => "numeric".to_owned(),
            other => other.to_string(),
        },
        Ok(other) => panic!("no query: {other:?}"),
    }
}

#[test]
fn pairs_of_types_agree_with_postgres() {
    assert_eq!(DataType::BPCHAR, DataType::Char(LENGTH_FREE));
    let mut toy = Toy::new();
    toy.table("p", &COLUMNS);
    let mut differences = Vec::new();
    for line in include_str!("common_types.tsv").lines().skip(1) {
        let mut cells = line.split('\t');
        let (construct, l) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        for ((r, _), theirs) in COLUMNS.iter().zip(cells) {
            let sql = sql(construct, l, r);
            let ours = answer(&toy, &sql);
            // PostgreSQL 15 gives up on some: any error of ours will do.
            let internal = theirs == "XX000" && ours.starts_with(|first: char| first.is_ascii_digit());
            if ours != theirs && !internal {
                differences.push(format!("{sql}: {ours}, PostgreSQL: {theirs}"));
            }
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}
