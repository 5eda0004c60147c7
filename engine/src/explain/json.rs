//! EXPLAIN (FORMAT JSON): the plan that runs as PostgreSQL writes plans, for viewers. Keys that PostgreSQL has mean what they mean
//! there; ours are `Collection`, `Details`,
//! `Memory Bytes` and `Chunks Pruned`.
//!
//! What a node costs is a hundredth for each row that it goes over, with all below it. Its actual time also counts what is below
//! it; a let hands over all of its rows at once, when it ends. A block that is computed for rows which ask has no figures.

use multiloop_exec::plan::{Node, Relationship};
use multiloop_planner::sql::ExplainForm;
use std::fmt::Write as _;
use std::time::Duration;

/// What a row costs that a node goes over.
const ROW_COST: f64 = 0.01;

/// How long planning and running took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Took {
    pub(super) planning: Duration,
    /// None of what did not run.
    pub(super) running: Option<Duration>,
}

/// The text of a plan.
pub(super) fn text(root: &Node, form: ExplainForm, took: Took) -> String {
    let mut writer = Writer { text: "[\n  {\n    \"Plan\": ".to_owned(), form, plans: 0 };
    writer.node(root, 2);
    if form.summary.unwrap_or(took.running.is_some()) {
        let _ = write!(writer.text, ",\n    \"Planning Time\": {:.3}", milliseconds(took.planning));
        if let Some(running) = took.running {
            let _ = write!(writer.text, ",\n    \"Triggers\": [\n    ]");
            let _ = write!(writer.text, ",\n    \"Execution Time\": {:.3}", milliseconds(running));
        }
    }
    writer.text.push_str("\n  }\n]");
    writer.text
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

struct Writer {
    text: String,
    form: ExplainForm,
    /// How many subplans have a number.
    plans: usize,
}

impl Writer {
    /// Members of an object are told apart by commas; the first one is always the kind.
    fn member(&mut self, depth: usize, key: &str, value: &str) {
        let _ = write!(self.text, ",\n{:1$}{2}: {value}", "", depth * 2, quoted(key));
    }

    fn list(&mut self, depth: usize, key: &str, of: &[String]) {
        let items: Vec<String> = of.iter().map(|item| quoted(item)).collect();
        self.member(depth, key, &format!("[{}]", items.join(", ")));
    }

    fn node(&mut self, node: &Node, depth: usize) {
        let within = depth + 1;
        let _ = write!(self.text, "{{\n{:1$}\"Node Type\": {2}", "", within * 2, quoted(node.kind));
        if let Some(strategy) = node.strategy {
            self.member(within, "Strategy", &quoted(strategy));
            self.member(within, "Partial Mode", "\"Simple\"");
        }
        if let Some(relationship) = node.relationship {
            self.member(within, "Parent Relationship", &quoted(&format!("{relationship:?}")));
        }
        if node.relationship == Some(Relationship::SubPlan) {
            self.plans += 1;
            let name = format!("SubPlan {}", self.plans);
            self.member(within, "Subplan Name", &quoted(&name));
        }
        self.member(within, "Parallel Aware", "false");
        self.member(within, "Async Capable", "false");
        if let Some(join) = node.join {
            self.member(within, "Join Type", &quoted(join));
        }
        if let Some(relation) = &node.relation {
            self.member(within, "Relation Name", &quoted(relation));
            self.member(within, "Alias", &quoted(relation));
        }
        if node.is_shared {
            self.member(within, "CTE Name", &quoted(&node.called));
            self.member(within, "Alias", &quoted(&node.called));
        }
        self.figures(node, within);
        self.list(within, "Output", &node.output);
        self.member(within, "Collection", &quoted(&node.called));
        if !node.details.is_empty() {
            self.list(within, "Details", &node.details);
        }
        if !node.inputs.is_empty() {
            self.member(within, "Plans", "[");
            for (at, input) in node.inputs.iter().enumerate() {
                let _ = write!(self.text, "{}\n{:2$}", if at == 0 { "" } else { "," }, "", (within + 1) * 2);
                self.node(input, within + 1);
            }
            let _ = write!(self.text, "\n{:1$}]", "", within * 2);
        }
        let _ = write!(self.text, "\n{:1$}}}", "", depth * 2);
    }

    fn figures(&mut self, node: &Node, depth: usize) {
        let (rows, time) = (node.rows_over, format!("{:.3}", milliseconds(node.time)));
        // Of a table all rows are gone over, and come one by one; of all else when all of them are there.
        let is_leaf = node.inputs.is_empty();
        let total = ROW_COST * if is_leaf { node.rows } else { rows };
        if self.form.costs {
            self.member(depth, "Startup Cost", &format!("{:.2}", if is_leaf { 0.0 } else { total }));
            self.member(depth, "Total Cost", &format!("{total:.2}"));
            self.member(depth, "Plan Rows", &format!("{:.0}", node.rows));
            self.member(depth, "Plan Width", &node.width.to_string());
        }
        let Some((ran, rows)) = &node.ran else { return };
        if self.form.timing {
            self.member(depth, "Actual Startup Time", &time);
            self.member(depth, "Actual Total Time", &time);
        }
        self.member(depth, "Actual Rows", &rows.to_string());
        self.member(depth, "Actual Loops", "1");
        self.member(depth, "Memory Bytes", &ran.bytes.to_string());
        if ran.chunks_pruned > 0 {
            self.member(depth, "Chunks Pruned", &ran.chunks_pruned.to_string());
        }
    }
}

/// A text as a string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for each in text.chars() {
        match each {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control < ' ' => drop(write!(quoted, "\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
