//! Programs as text, their tables of many rows or few.

use super::*;
use crate::catalog::TableStatistics;
use crate::multiloop::parse::parse;
use std::sync::Arc;

/// Reads a program whose tables have these rows, by name.
fn read(text: &str, rows: &[(&str, u64)]) -> Program {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for collection in &mut program.collections {
        if let Shape::Table { name, statistics, .. } = &mut collection.shape {
            let &(_, rows) = rows.iter().find(|(table, _)| table == name).expect("a table of the test");
            *statistics = Arc::new(TableStatistics { rows, ..TableStatistics::clone(statistics) });
        }
    }
    program
}

/// The stencils of a program, and its warnings.
fn analysed(text: &str, rows: &[(&str, u64)]) -> (String, Vec<String>) {
    let program = read(text, rows);
    let partitioning = Partitioning::of(&program);
    (partitioning.text(), partitioning.warnings(|_| false))
}

const ROWS: &[(&str, u64)] = &[("points", 500_000), ("c", 10), ("other", 1_000_000)];

#[test]
fn a_traversal_reads_its_own_rows() {
    let (text, warnings) = analysed(
        "table %0 points(x#0 double precision)
loop
  i0 in %0
  %1 collect
    if i0.x > 1.0
    x = i0.x
  %2 reduce
    total? = sum(i0.x)
loop
  i1 in %1
  %3 collect
    x = i1.x
    part? = %2.total
result %3
output x, part
",
        ROWS,
    );
    assert_eq!(text, "  %1 reads %0 one (partitioned)\n  %3 reads %1 one (partitioned), %2 const (local)\n");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn keys_are_intervals() {
    let (text, warnings) = analysed(
        "table %0 points(k#0 bigint, x#1 double precision)
table %1 other(k#0 bigint, y#1 double precision)
loop
  i0 in %1
  %2 bucket_collect
    key k = i0.k
    y = i0.y
  %3 bucket_reduce
    key k = i0.k
    n = count_rows()
loop
  i1 in %0
  i2 in %2[i1.k]
  %4 reduce
    total? = sum(i2.y if exists %3[i1.k])
    first? = sum(i2.y if exists %3[7::bigint])
result %4
output total, first
",
        ROWS,
    );
    assert!(
        text.ends_with("  %4 reads %0 one (partitioned), %2 interval (partitioned), %3 interval (partitioned)\n"),
        "{text}"
    );
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// The inner loop stands in the innermost position, in a nest or in a block that each row asks.
const NEST: &str = "table %0 c(x#0 double precision)
table %1 points(x#0 double precision)
loop
  i0 in %0
  i1 in %1
  %2 collect
    if i0.x < i1.x
    x = i0.x
result %2
output x
";

const BLOCK: &str = "table %0 c(x#0 double precision)
table %1 points(x#0 double precision)
loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 reduce
          if square_root(i1.x) < i0.x
          total? = sum(i1.x)
      result %3
    total? = b0.total
result %2
output total
";

#[test]
fn what_is_compared_with_all_rows_is_warned_of() {
    let (text, warnings) = analysed(NEST, ROWS);
    assert_eq!(text, "  %2 reads %0 one (local), %1 unknown (partitioned)\n");
    assert_eq!(
        warnings,
        [
            "each of about 10 rows of c is compared with every row of points (about 500000 rows): no rule makes that one \
          traversal, because nothing that both sides are equal in says which rows match"
        ]
    );
    // Few rows are sent to all who ask.
    let (text, warnings) = analysed(NEST, &[("c", 500_000), ("points", 10)]);
    assert_eq!(text, "  %2 reads %0 one (partitioned), %1 unknown (local)\n");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_block_is_asked_by_each_row_that_it_reads() {
    let program = read(BLOCK, ROWS);
    let partitioning = Partitioning::of(&program);
    assert_eq!(partitioning.text(), "  %2 reads %0 one (local)\n  %3 reads %1 unknown (partitioned)\n");
    let warnings = partitioning.warnings(|_| false);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("each of about 10 rows of c is compared"), "{warnings:?}");
    assert!(partitioning.warnings(|_| true).is_empty(), "a search looks at no row that does not match");

    // All rows, whatever the asking row is, with something of its own.
    let whole = BLOCK
        .replace("          if square_root(i1.x) < i0.x\n", "")
        .replace("sum(i1.x)", "sum(square_root(i1.x + i0.x))");
    let (text, warnings) = analysed(&whole, ROWS);
    assert!(text.ends_with("  %3 reads %1 all (partitioned)\n"), "{text}");
    assert!(warnings[0].contains("reads every row of points"), "{warnings:?}");

    // The same for all that ask: it is made once.
    let (text, warnings) = analysed(&BLOCK.replace("square_root(i1.x) < i0.x", "square_root(i1.x) < 4.0"), ROWS);
    assert!(text.ends_with("  %3 reads %1 one (partitioned)\n"), "{text}");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn each_round_reads_its_rows_once() {
    let (text, warnings) = analysed(
        "table %0 points(x#0 double precision)
loop
  i0 in %0
  %1 reduce
    x? = sum(i0.x)
%2 iterate last 3 %1 through %3 as x?
  loop
    i1 in %0
    %4 reduce
      x? = sum(i1.x)
  loop
    i2 in %4
    i3 in %3
    %5 collect
      x? = i2.x + i3.x
  result %5
result %2
output x
",
        ROWS,
    );
    assert_eq!(
        text,
        "  %1 reads %0 one (partitioned)\n  %2 reads %1 one (local)\n  %4 reads %0 one (partitioned)\n  %5 reads %4 const (local), \
         %3 all (local)\n"
    );
    assert!(warnings.is_empty(), "{warnings:?}");
}
