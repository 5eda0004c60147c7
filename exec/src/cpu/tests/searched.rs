//! Nested blocks that compare with the row that asks, beside the interpreter: all comparisons, over values of all kinds.

use super::check;
use crate::plan::Machine;
use crate::plan::plan;
use crate::plan::reads::collections_read;
use multiloop_planner::multiloop::parse::parse;

const COMPARISONS: [&str; 5] = ["<", "<=", ">", ">=", "<>"];

/// A program that asks a block of these conditions and fields for each row.
fn ask(data_type: &str, conditions: &[String], fields: &[&str]) -> String {
    let conditions: String = conditions.iter().map(|each| format!("          if {each}\n")).collect();
    let (mut reduced, mut read, mut output) = (String::new(), String::new(), String::new());
    for (number, field) in fields.iter().enumerate() {
        let (name, nullable) = (format!("f{number}"), if field.starts_with("count") { "" } else { "?" });
        reduced += &format!("          {name}{nullable} = {field}\n");
        read += &format!("    {name}{nullable} = b0.{name}\n");
        output += &format!(", {name}");
    }
    format!(
        "table %0 t(x#0 {data_type}?, y#1 integer?, z#2 double precision?)
table %1 u(x#0 {data_type}?, y#1 integer?, z#2 double precision?)
loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 reduce
{conditions}{reduced}      result %3
    y? = i0.y
{read}result %2
output y{output}
"
    )
}

/// Checks a program that has to be one with blocks that are searched.
fn check_searched(text: &str) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let plan = plan(&program, Machine::host(1)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(!plan.searched.is_empty(), "nothing is searched in\n{text}");
    let read = collections_read(&plan, &plan.block(plan.body).lets[0]);
    let mut candidates = plan.searched.values().flat_map(|searched| &searched.candidates);
    assert!(candidates.all(|candidate| read.contains(&plan.block(candidate.block).result)), "{read:?}\n{text}");
    check(text);
}

#[test]
fn all_kinds_of_values_in_order() {
    for data_type in ["integer", "double precision", "text", "interval", "decimal(9,2)", "date"] {
        for comparison in COMPARISONS {
            let x = format!("i1.x {comparison} i0.x");
            check_searched(&ask(data_type, &[x.clone(), "i1.y <> i0.y".to_owned()], &["any(TRUE)"]));
            check_searched(&ask(data_type, &[x], &["min(i1.x)", "max(i1.x)", "count(i1.x)"]));
        }
    }
}

#[test]
fn any_of_a_comparison_is_three_valued() {
    for comparison in COMPARISONS {
        for asked in ["i1.y < i0.y", "i0.z <= i1.z", "i1.z <> i0.z", "i1.y = i0.y", "i1.x = i0.x"] {
            let any = format!("any({asked})");
            // An equality has no extremes: where the row that asks gives one value, all depends on it.
            let check = if asked.contains(" = ") { check } else { check_searched };
            check(&ask("text", &[format!("i1.x {comparison} i0.x")], &[&any]));
            check(&ask("integer", &[format!("i0.y {comparison} i1.x")], &[&any]));
        }
    }
}

#[test]
fn aggregates_run() {
    let fields = [
        "count_rows()",
        "count(i1.z)",
        "sum(i1.y)::bigint",
        "min(i1.z)",
        "max(i1.z)",
        "any(i1.y > 3)",
        "all(i1.y > 1)",
    ];
    for comparison in COMPARISONS {
        check_searched(&ask("integer", &[format!("i1.x {comparison} i0.x")], &fields));
        let fixed = "i1.y <= i0.y".to_owned();
        check_searched(&ask("interval", &[fixed, format!("i0.x {comparison} i1.x")], &fields));
    }
}

/// Blocks in blocks: each level reads the rows of all levels around it.
#[test]
fn two_levels() {
    for (outer, inner) in [("<", "<>"), ("<>", ">="), (">", "<"), ("<=", "<=")] {
        for answer in ["NOT b1.value", "b1.value"] {
            check(&format!(
                "table %0 t(x#0 integer?, y#1 integer?, z#2 double precision?)
table %1 u(x#0 integer?, y#1 integer?, z#2 double precision?)
loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 reduce
          block b1
            loop
              i2 in %0
              %4 reduce
                if i2.x {inner} i1.x
                if i2.z > i0.z
                value? = any(i2.y < i1.y)
            result %4
          if i1.x {outer} i0.x
          if {answer}
          rows = count_rows()
          least? = min(i1.z)
      result %3
    rows = b0.rows
    least? = b0.least
    y? = i0.y
result %2
output rows, least, y
"
            ));
        }
    }
}
