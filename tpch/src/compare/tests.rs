//! Tests of what needs no Python: replies, answers, pairs, the table, the plot.

use super::answer::{Verdict, cents, difference};
use super::peer::{Measured, PeerReport, query_report};
use super::scripts::{Choice, Chosen, Lacking, Scratch, choose, text};
use super::{Comparison, Error, PeerOptions, pairs, print_comparison, process, svg};
use crate::run::{QueryReport, Report};
use std::path::Path;
use std::time::Duration;

fn ours(query: usize, median_ms: f64) -> QueryReport {
    QueryReport {
        query,
        first_ms: 0.0,
        analysed: None,
        rows: 1,
        median_ms,
        min_ms: median_ms,
        runs_ms: vec![median_ms],
        peak_mb: Some(100),
        plan_ms: 0.0,
        verified: None,
        difference: median_ms.is_nan().then(|| "no such table".to_owned()),
    }
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Multiloop with these medians, and peers with these replies, query by query from Q1.
fn comparison(medians: &[f64], peers: &[(&str, &[&str])]) -> Comparison {
    let queries: Vec<QueryReport> = medians.iter().enumerate().map(|(index, ms)| ours(index + 1, *ms)).collect();
    let multiloop = Report {
        sf: 1.0,
        threads: 1,
        load_ms: 10.0,
        tables_mb: 1,
        rss_mb: None,
        geomean_ms: 2.0,
        total_ms: medians.iter().sum(),
        queries,
    };
    let answer = [row(&["1.00", "A"])];
    let report = |(name, replies): &(&str, &[&str])| {
        let mut report = PeerReport { engine: (*name).to_owned(), version: Some("1".to_owned()), ..Default::default() };
        for (index, reply) in replies.iter().enumerate() {
            let reply = process::read::<Measured>(reply);
            report.queries.push(query_report(index + 1, String::new(), reply, Some(&answer)));
        }
        report.with_sums(&multiloop)
    };
    let peers: Vec<PeerReport> = peers.iter().map(report).collect();
    let pairs = pairs::pair(&multiloop, &peers);
    Comparison {
        order: "interleaved",
        pinned: true,
        runs: 3,
        not_installed: vec!["chdb".to_owned()],
        summary: pairs::summary(&pairs),
        multiloop,
        peers,
        pairs,
    }
}

/// Q1 to Q4: both answer; one fails, one times out; one is wrong; ours fails.
fn example() -> Comparison {
    comparison(
        &[2.0, 4.0, 1.0, f64::NAN],
        &[
            (
                "slow<&>",
                &[
                    r#"{"times_ms": [99, 8, 6, 7], "rows": [["1.00", "A"]], "peak_mb": 400}"#,
                    r#"{"error": "BinderException: no\nsuch thing"}"#,
                    r#"{"times_ms": [9, 16], "rows": [["1.01", "A"]]}"#,
                    r#"{"times_ms": [9, 1], "rows": [["1.00", "A"]]}"#,
                ],
            ),
            (
                "fast",
                &[
                    r#"{"times_ms": [9, 4, 4], "rows": [["1.00", "A"]], "peak_mb": 80}"#,
                    r#"{"times_ms": [9, 1], "rows": [["1.00", "A"]], "peak_mb": 200}"#,
                    r#"{"times_ms": [9, 1], "rows": [["2.00", "A"]], "peak_mb": 1}"#,
                    "Segmentation fault",
                ],
            ),
        ],
    )
}

#[test]
fn replies_are_results_or_failures() {
    let outcome = |reply: &str| query_report(1, String::new(), process::read::<Measured>(reply), None);
    let right = outcome(r#"{"times_ms": [50, 3, 1, 2, 9], "rows": [["1.00"], ["NULL"]]}"#);
    assert_eq!((right.warmup_ms, right.median_ms, right.rows), (Some(50.0), Some(2.5), Some(2)));
    assert_eq!(right.error, None);
    assert_eq!(outcome(r#"{"error": "MemoryError: "}"#).error.as_deref(), Some("MemoryError: "));
    assert_eq!(outcome(r#"{"times_ms": [50], "rows": []}"#).error.as_deref(), Some("the reply has no timed run"));
    for garbage in ["", "Aborted", "{}", r#"{"times_ms": ["x"], "rows": []}"#] {
        let failed = outcome(garbage);
        assert!(failed.error.is_some_and(|error| error.starts_with("unreadable reply")), "{garbage}");
        assert_eq!(failed.median_ms, None);
    }
}

#[test]
fn numbers_have_two_decimals() {
    for (number, wanted) in [
        ("7", "7.00"),
        ("0.005", "0.01"),
        ("-0.005", "-0.01"),
        ("-0.004", "0.00"),
        ("99.995", "100.00"),
        ("1.5", "1.50"),
        ("1e3", "1000.00"),
        ("NaN", "NULL"),
        ("12345678901234567890123456789012345.678", "12345678901234567890123456789012345.68"),
    ] {
        assert_eq!(cents(number), wanted, "{number}");
    }
}

#[test]
fn answers_differ_in_last_digits_or_more() {
    let verdict = |number, a: &[&[&str]], b: &[&[&str]]| {
        let [a, b] = [a, b].map(|rows| rows.iter().map(|cells| row(cells)).collect::<Vec<_>>());
        difference(number, &a, b).map(|difference| difference.verdict)
    };
    assert_eq!(verdict(1, &[&["1.00", "A"]], &[&["1.00", "A"]]), None);
    assert_eq!(verdict(1, &[&["1.00"]], &[&["1.01"]]), Some(Verdict::LastDigit));
    assert_eq!(verdict(1, &[&["1.00"]], &[&["1.02"]]), Some(Verdict::Differs));
    assert_eq!(verdict(1, &[&["A"]], &[&["B"]]), Some(Verdict::Differs));
    assert_eq!(verdict(1, &[&["1.00"]], &[]), Some(Verdict::Differs));
    assert_eq!(verdict(1, &[&["1.00"]], &[&["1.00", "2.00"]]), Some(Verdict::Differs));
    // The order counts but in queries whose ORDER BY leaves ties.
    assert_eq!(verdict(1, &[&["A"], &["B"]], &[&["B"], &["A"]]), Some(Verdict::Differs));
    assert_eq!(verdict(3, &[&["A"], &["B"]], &[&["B"], &["A"]]), None);
}

#[test]
fn pairs_have_the_best_peer_that_is_right() {
    let Comparison { pairs, summary, peers, .. } = example();
    let best: Vec<Option<&str>> = pairs.iter().map(|pair| pair.best_peer.as_deref()).collect();
    assert_eq!(best, [Some("fast"), Some("fast"), Some("slow<&>"), Some("slow<&>")]);
    let ratios: Vec<Option<f64>> = pairs.iter().map(|pair| pair.ratio).collect();
    assert_eq!(ratios, [Some(2.0), Some(0.25), Some(16.0), None]);
    // One that has another answer is in no race, nor for the least memory.
    let peaks: Vec<Option<f64>> = pairs.iter().map(|pair| pair.peak_ratio).collect();
    assert_eq!(peaks, [Some(1.25), Some(0.5), None, None]);
    assert_eq!((summary.worst_peak_query, summary.worst_peak_ratio), (Some(1), Some(1.25)));
    assert!((summary.geomean_ratio.expect("three ratios") - 2.0).abs() < 1e-9);
    assert_eq!((summary.queries, summary.worst_query, summary.total_ratio), (3, Some(2), Some(3.0)));
    assert_eq!(peers[0].total_ms, Some(24.0));
    assert!((peers[0].geomean_ms.expect("three medians") - 112.0_f64.cbrt()).abs() < 1e-9);
}

#[test]
fn nothing_is_hidden_in_the_table() {
    let table = print_comparison(&example());
    for line in [
        "not installed: chdb",
        "slow<&> Q2 failed, and is in none of its sums: BinderException: no",
        "slow<&> Q3 differs in a last digit: row 1: 1.01|A, Multiloop has 1.00|A",
        "fast Q3 DIFFERS, and is not in the race: row 1: 2.00|A, Multiloop has 1.00|A",
        "Multiloop Q4: no such table",
        "the lowest ratio is Q2's, 0.25",
        "memory at most 1.25 times what the thriftiest peer's peak is (Q1)",
    ] {
        assert!(table.contains(line), "{line}\n{table}");
    }
    assert!(table.contains("1.00!"), "{table}");
}

#[test]
fn json_has_multiloop_s_figures_where_they_are_without_peers() {
    let json = serde_json::to_value(example()).expect("figures are JSON");
    assert_eq!(json["queries"][0]["median_ms"], 2.0);
    assert_eq!(json["queries"][3]["median_ms"], serde_json::Value::Null);
    assert_eq!(json["peers"][1]["queries"][2]["difference"]["verdict"], "differs");
    assert_eq!(json["peers"][0]["queries"][1]["error"], "BinderException: no\nsuch thing");
    assert_eq!(json["pairs"][0]["ratio"], 2.0);
}

#[test]
fn the_plot_is_well_formed() {
    for comparison in [example(), comparison(&[], &[]), comparison(&[f64::NAN], &[("none", &[""])])] {
        let plot = svg(&comparison);
        let mut open = Vec::new();
        for part in plot.split('<').skip(1) {
            let (tag, _) = part.split_once('>').expect("every tag ends");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("split gives a first part");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{plot}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty() && !plot.contains("NaN") && !plot.contains("inf"), "{plot}");
    }
    assert!(svg(&example()).contains("slow&lt;&amp;&gt; 1"));
}

/// What is chosen where Python lacks polars.
fn chosen(engines: Option<&[&str]>) -> Result<Chosen, Error> {
    let installed: [(&str, &[&str]); 4] =
        [("duckdb", &[]), ("polars", &["polars"]), ("hyper-file", &[]), ("multiloop", &[])];
    let lacking: Lacking = installed.iter().map(|(name, modules)| ((*name).to_owned(), row(modules))).collect();
    let (engines, timeout) = (engines.map(row), Duration::from_secs(1));
    choose(&lacking, &PeerOptions { engines, python: "py".into(), timeout, one_by_one: false, pinned: false })
}

fn names(peers: &[Choice]) -> Vec<&str> {
    peers.iter().map(|choice| choice.name.as_str()).collect()
}

#[test]
fn peers_are_chosen_by_what_is_installed() {
    let default = chosen(None).expect("one is installed");
    assert_eq!(names(&default.peers), ["duckdb"]);
    assert_eq!(default.not_installed, ["polars", "datafusion", "hyper", "chdb"]);
    assert_eq!(names(&chosen(Some(&["hyper-file"])).expect("it is installed").peers), ["hyper-file"]);
    assert!(matches!(chosen(Some(&["oracle"])), Err(Error::UnknownPeer { .. })));
    let error = chosen(Some(&["duckdb", "polars"])).expect_err("polars is not installed").to_string();
    assert!(error.contains("polars is not installed in py"), "{error}");
    assert!(error.contains("py -m pip install -r tpch/peers/requirements.txt"), "{error}");
    assert!(error.contains("pip install polars=="), "{error}");
}

#[test]
fn another_multiloop_is_a_peer_by_its_path() {
    // Any file will do until it is run; these are below the crate's folder, where tests run.
    let peers =
        chosen(Some(&["multiloop=src/lib.rs", "duckdb", "multiloop=src/run.rs"])).expect("both files exist").peers;
    assert_eq!(names(&peers), ["lib.rs", "duckdb", "run.rs"]);
    assert!(peers[0].engine == "multiloop" && peers[0].program.as_ref().is_some_and(|path| path.is_absolute()));
    assert_eq!((peers[1].engine.as_str(), &peers[1].program), ("duckdb", &None));
    for wrong in ["multiloop", "multiloop=", "multiloop=..", "duckdb=src/lib.rs"] {
        assert!(matches!(chosen(Some(&[wrong])), Err(Error::Program { .. })), "{wrong}");
    }
    assert!(matches!(chosen(Some(&["oracle=src/lib.rs"])), Err(Error::UnknownPeer { .. })));
    assert!(matches!(chosen(Some(&["multiloop=src/nowhere"])), Err(Error::Io { .. })));
    for twice in [["multiloop=src/lib.rs", "multiloop=benches/../src/lib.rs"], ["duckdb", "duckdb"]] {
        assert!(matches!(chosen(Some(&twice)), Err(Error::TwoOfOneName { .. })), "{twice:?}");
    }
}

#[test]
fn variants_of_an_engine_have_its_texts() {
    assert_eq!(text("polars", 5, 1.0).1, "peers/queries/polars/q05.sql");
    assert_eq!(text("duckdb-compressed", 5, 1.0).1, "queries/q05.sql");
    assert!(text("hyper", 11, 10.0).0.contains("0.0000100000"));
}

#[test]
fn all_of_shapes_is_unpacked() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let scratch = Scratch::new().expect("there is room for scripts");
    assert!(scratch.shapes().is_file());
    let folder = std::fs::read_dir(peers.join("shapes")).expect("the folder is there");
    let names = folder.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned());
    let mut paths: Vec<String> = names.map(|name| format!("shapes/{name}")).collect();
    assert!(paths.len() >= 3, "{paths:?}");
    // What the script imports of its neighbours.
    let script = std::fs::read_to_string(peers.join("shapes.py")).expect("the script is there");
    let modules = script.lines().filter_map(|line| line.strip_prefix("from ")?.split(' ').next());
    let neighbours = modules.map(|module| format!("{module}.py")).filter(|file| peers.join(file).is_file());
    paths.extend(neighbours);
    assert!(paths.contains(&"engines.py".to_owned()), "{paths:?}");
    for path in paths {
        let text = |root: &Path| std::fs::read_to_string(root.join(&path)).unwrap_or_default();
        assert_eq!(text(scratch.path()), text(&peers), "{path}");
    }
}
