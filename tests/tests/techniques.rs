//! Answers need no technique of execution: TPC-H at scale factor 0.01, and keys such as it has not, with each of them left
//! out, one at a time, and with all of them left out. What is left out is read once a process, so this program runs itself
//! again for each.

use multiloop_exec::technique::Technique;
use multiloop_tests::{Answer, WAYS, answer, write_tpch};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a process of its own does.
const CHILD: &str = "answers_are_right_as_the_environment_says";

/// Says to it where the tables of TPC-H are; else it makes them.
const DATA: &str = "MULTILOOP_TEST_TPCH";

#[test]
fn answers_are_right_as_the_environment_says() {
    WAYS[2].check_tpch_of(std::env::var_os(DATA).map(PathBuf::from));
    check_clustered_decimals();
}

/// Clustered groups by a decimal of more than 18 digits, which an aggregate's condition loads, beside the interpreter.
fn check_clustered_decimals() {
    let rows = |way: usize| {
        let session = WAYS[way].session();
        for sql in [
            "create table digit as select * from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as v(d)",
            "create table t as select (n / 3 * 300)::decimal(38, 0) as k from
             (select a.d * 1000 + b.d * 100 + c.d * 10 + d.d as n from digit a, digit b, digit c, digit d) as s order by n",
        ] {
            assert!(matches!(answer(&session, sql), Answer::Done(_)), "{sql}");
        }
        answer(
            &session,
            "select k, count(*), count(*) filter (where k % 7 < 3) from t group by k having count(*) > 2 order by k",
        )
    };
    let expected = rows(0);
    assert!(matches!(&expected, Answer::Rows(_, rows) if rows.len() == 3333), "10,000 rows in threes");
    assert_eq!(rows(2), expected);
}

#[test]
fn no_technique_is_needed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("techniques");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    write_tpch(&folder);
    let names: Vec<&str> = Technique::names().chain(["all"]).collect();
    let mut broken = Vec::new();
    // Each has two workers, and spends most of its time on one core.
    let at_a_time = std::thread::available_parallelism().map_or(1, usize::from);
    for some in names.chunks(at_a_time) {
        let children: Vec<(&str, Child)> = some.iter().map(|&name| (name, start(name, &folder))).collect();
        for (name, child) in children {
            let output = child.wait_with_output().expect("a child process ends");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            // A renamed test would pass by not being there.
            if !output.status.success() || !said.contains("1 passed") {
                broken.push(format!("without {name}:\n{said}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn start(without: &str, data: &Path) -> Child {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--exact", CHILD]).env("MULTILOOP_WITHOUT", without).env(DATA, data);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("this program starts again")
}
