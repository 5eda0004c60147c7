//! `multiloop tpch --throughput`: what it prints and writes, and what it refuses. What it measures is tested in `tests/tests/tpch.rs`.

use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multiloop"));
    command.arg("tpch").args(arguments).stdin(Stdio::null()).output().expect("the program runs")
}

#[test]
fn streams_and_refreshes_are_reported() {
    let json = std::env::temp_dir().join(format!("multiloop-throughput-{}.json", std::process::id()));
    let path = json.to_str().expect("the folder's name is UTF-8");
    let arguments = ["--sf", "0.001", "--threads", "2", "--runs", "1", "--verify", "--throughput", "3", "--json", path];
    let output = run(&arguments);
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}{printed}");
    assert_eq!(printed.matches("22 of 22 right").count(), 3, "{printed}");
    assert!(printed.contains("3 streams in") && printed.contains("no official figure"), "{printed}");
    let figures = std::fs::read_to_string(&json).expect("figures are written");
    std::fs::remove_file(&json).expect("the file goes");
    let figures: serde_json::Value = serde_json::from_str(&figures).expect("they are JSON");
    let lengths = ["streams", "refreshes", "after", "failures"].map(|name| figures[name].as_array().map(Vec::len));
    assert_eq!(lengths, [Some(3), Some(3), Some(22), Some(0)]);
    assert_eq!(figures["refreshes"][2]["orders"], 1);
    assert_eq!(figures["streams"][0]["queries"][0]["query"], 21);
    let hourly = figures["queries_per_hour"].as_f64().expect("a number");
    let seconds = figures["elapsed_ms"].as_f64().expect("a number") / 1e3;
    assert!((hourly * seconds / (66.0 * 3600.0) - 1.0).abs() < 1e-9, "{hourly} {seconds}");
}

#[test]
fn options_that_make_no_sense_beside_streams() {
    let others: [&[&str]; 5] = [&["--queries", "1"], &["--files", "DIR"], &["--linq"], &["--analyze"], &["--compare"]];
    for other in others {
        let output = run(&[other, &["--throughput"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("cannot be used with") && errors.contains(other[0]), "{errors}");
    }
    for streams in ["0", "x", "70000"] {
        assert_eq!(run(&["--throughput", streams]).status.code(), Some(2), "{streams}");
    }
}
