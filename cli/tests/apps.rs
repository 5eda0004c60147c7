//! `multiloop apps`: what it lists, runs, prints and draws, and what it refuses.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// All applications, each with its forms of the queries, its pictures, and how many of two iterations there are.
const APPS: [(&str, [&str; 2], &[&str], usize); 3] = [
    ("kmeans", ["by point", "by centroid"], &["clusters", "convergence"], 2),
    ("logistic", ["by rows", "by columns"], &["convergence"], 2),
    ("gda", ["by sample", "by class"], &["classes"], 1),
];

/// Few rows, and iterations in which something moves.
const SMALL: [&str; 6] = ["--sf", "0.0002", "--iterations", "2", "--threads", "2"];

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multiloop"));
    command.arg("apps").args(arguments).stdin(Stdio::null()).output().expect("the program runs")
}

/// Standard output of what succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

fn small(arguments: &[&str]) -> String {
    printed(&[&SMALL, arguments].concat())
}

fn objects(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true), "{arguments:?}: {errors}");
    errors
}

#[test]
fn without_a_name_they_are_listed() {
    let listed = printed(&[]);
    let named = objects(&printed(&["--json"]));
    assert_eq!(named.len(), APPS.len());
    for ((name, ..), object) in APPS.iter().zip(&named) {
        assert!(listed.lines().any(|line| line.starts_with(name)), "{listed}");
        assert_eq!(object["app"], *name);
    }
}

#[test]
fn each_agrees_with_its_loops_with_and_without_rules() {
    for rules in ["on", "off", "conditional_reduce,column_to_row_reduce"] {
        let reports = objects(&small(&["all", "--json", "--rules", rules]));
        assert_eq!(reports.len(), APPS.len());
        for ((name, forms, _, iterations), report) in APPS.iter().zip(&reports) {
            assert_eq!(report["app"], *name);
            assert_eq!(
                (&report["rows"], &report["columns"], &report["iterations"]),
                (&100.into(), &100.into(), &(*iterations).into())
            );
            assert_eq!((&report["threads"], &report["rules"]), (&2.into(), &(rules != "off").into()));
            let runs = report["runs"].as_array().expect("it lists its runs");
            let names: Vec<&str> = runs.iter().filter_map(|run| run["name"].as_str()).collect();
            assert_eq!(names, ["textbook loop", "tuned loop", forms[0], forms[1]]);
            for run in runs {
                assert_eq!(run["agrees"], true, "{name} with rules {rules}: {run}");
                let each = if run["is_query"] == true { 0 } else { *iterations };
                assert_eq!(run["each_ms"].as_array().map(Vec::len), Some(each), "{run}");
                assert!(run["iteration_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{run}");
                assert!(run["textbook_ratio"].as_f64().is_some_and(|ratio| ratio > 0.0), "{run}");
            }
            let loss: Vec<f64> = report["loss"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
            assert!(loss.len() == *iterations && loss.is_sorted_by(|before, after| before > after), "{name}: {loss:?}");
            assert!(*iterations > 1 || loss[0] < 0.25, "{name}: {loss:?}");
        }
    }
}

#[test]
fn people_read_a_table() {
    for (name, forms, _, iterations) in APPS {
        let text = small(&[name, "--seed", "5"]);
        let said = format!("seed 5; {iterations} iteration{}\n", if iterations == 1 { "" } else { "s" });
        assert!(text.starts_with(&format!("{name}: 100 ")) && text.contains(&said), "{text}");
        assert!(text.contains("threads: 2 for queries, 1 for loops;"), "{text}");
        assert!(forms.iter().all(|form| text.lines().any(|line| line.starts_with(form))), "{text}");
        assert!(!text.contains("WRONG"), "{text}");
    }
}

#[test]
fn pictures_are_drawn() {
    let folder = std::env::temp_dir().join(format!("multiloop-apps-{}", std::process::id()));
    let within: PathBuf = folder.join("new");
    let said = small(&["all", "--svg", within.to_str().expect("it is UTF-8")]);
    for (name, _, pictures, _) in APPS {
        for picture in pictures {
            let path = within.join(format!("{name}-{picture}.svg"));
            let svg = std::fs::read_to_string(&path).expect("the picture is there");
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
            assert!(said.contains(&*path.to_string_lossy()), "{said}");
        }
    }
    let file = folder.join("file");
    std::fs::write(&file, "").expect("a file is written");
    let output = run(&[&SMALL[..], &["kmeans", "--svg", file.to_str().expect("it is UTF-8")]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("making the folder"), "{errors}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[cfg(unix)]
#[test]
fn libraries_of_python_run_beside_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = std::env::temp_dir().join(format!("multiloop-apps-peers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let python = folder.join("python");
    let path = python.to_str().expect("it is UTF-8");
    let fake = |lacking: &str, answer: &str| {
        let script = format!(
            "#!/bin/sh\nif [ $# = 1 ]; then echo '{{\"kmeans\": [{lacking}]}}'; exit; fi\n\
             test -s \"$3/points.npy\" && test \"$OMP_NUM_THREADS\" = 2 && test \"$4\" = '{{\"iterations\":2}}' || exit 7\n{answer}\n"
        );
        std::fs::write(&python, script).expect("a script is written");
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    };
    let failed = |path: &str| {
        let output = run(&[&SMALL[..], &["kmeans", "--compare", "--peers-python", path]].concat());
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    fake("", "echo '{\"version\": \"1.2\", \"ms\": 2.5, \"result\": [1, 2]}'");
    let report = objects(&small(&["kmeans", "--json", "--compare", "--peers-python", path])).swap_remove(0);
    let last = report["runs"].as_array().and_then(|runs| runs.last()).expect("it ran").clone();
    assert_eq!((&last["name"], &last["peer"]), (&"scikit-learn".into(), &"1.2".into()));
    // That it gives something else is no mistake of ours.
    assert_eq!((&last["iteration_ms"], &last["agrees"]), (&1.25.into(), &false.into()));
    let text = small(&["kmeans", "--compare", "--peers-python", path]);
    assert!(text.contains("DIFFERS") && text.contains("scikit-learn: version 1.2"), "{text}");
    fake("\"scikit-learn\"", "");
    let errors = failed(path);
    assert!(
        errors.contains("scikit-learn is not installed") && errors.contains("pip install scikit-learn"),
        "{errors}"
    );
    fake("", "echo 'out of memory' >&2; exit 3");
    assert!(failed(path).contains("out of memory"));
    fake("", "echo nonsense");
    assert!(failed(path).contains("reading what scikit-learn gave"));
    assert!(failed("/no/python").contains("starting /no/python"));
    assert!(refused(&["kmeans", "--peers-python", path]).contains("--compare"));
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn what_is_wrong_is_refused() {
    let named = refused(&["kmean"]);
    assert!(named.contains("'kmean'") && named.contains("kmeans"), "{named}");
    for wrong in ["0", "-1", "NaN", "inf", "many", "101"] {
        let errors = refused(&["kmeans", &format!("--sf={wrong}")]);
        assert!(errors.contains("it is a number above 0, at most 100"), "{errors}");
    }
    for wrong in
        ["--iterations=0", "--iterations=x", "--threads=0", "--rules=some", "--seed=-1", "--device=tpu", "--nope"]
    {
        let errors = refused(&["kmeans", wrong]);
        assert!(errors.contains(wrong.split('=').next().expect("it has a name")), "{errors}");
    }
}
