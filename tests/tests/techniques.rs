//! Answers need no technique of execution: TPC-H at scale factor 0.01 with each of them left out, one at a time, and with
//! all of them left out. What is left out is read once a process, so this program runs itself again for each.

use multiloop_exec::technique::Technique;
use multiloop_tests::WAYS;
use std::process::{Child, Command, Stdio};

/// What a process of its own does.
const CHILD: &str = "answers_are_right_as_the_environment_says";

#[test]
fn answers_are_right_as_the_environment_says() {
    WAYS[2].check_tpch();
}

#[test]
fn no_technique_is_needed() {
    let names: Vec<&str> = Technique::names().chain(["all"]).collect();
    let mut broken = Vec::new();
    // Each has two workers, and spends most of its time on one core.
    let at_a_time = std::thread::available_parallelism().map_or(1, usize::from);
    for some in names.chunks(at_a_time) {
        let children: Vec<(&str, Child)> = some.iter().map(|&name| (name, start(name))).collect();
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

fn start(without: &str) -> Child {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--exact", CHILD]).env("MULTILOOP_WITHOUT", without);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("this program starts again")
}
