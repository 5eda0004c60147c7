//! The ratios as a picture: a bar a query, from 1 up where Multiloop is faster than the best peer, down where it is
//! not. The scale is logarithmic, so that twice as fast and twice as slow are bars of one length.

use super::Comparison;
use std::fmt::Write;

const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 104.0;
const HEIGHT: f64 = 320.0;
const BOTTOM: f64 = 64.0;
/// Width of a query's column.
const COLUMN: f64 = 42.0;
/// Room for the title, even where queries are few.
const WIDTH_MIN: f64 = 760.0;

const FASTER: &str = "#a9c4e4";
const SLOWER: &str = "#f0b3a6";
/// Colours of the peers' dots, told apart by colour-blind eyes, too (Okabe and Ito's).
const DOTS: [&str; 7] = ["#e69f00", "#009e73", "#d55e00", "#cc79a7", "#0072b2", "#000000", "#b8a800"];

/// How ratios become heights.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Whole powers of two around all ratios, and around 1.
    fn around(ratios: impl Iterator<Item = f64>) -> Scale {
        ratios.map(f64::log2).fold(Scale { low: -1.0, high: 1.0 }, |scale, log| Scale {
            low: scale.low.min(log.floor()),
            high: scale.high.max(log.ceil()),
        })
    }

    fn y(&self, ratio: f64) -> f64 {
        TOP + HEIGHT * (self.high - ratio.log2()) / (self.high - self.low)
    }

    /// Where the axis is labelled: powers of two, not more than fit.
    fn ticks(&self) -> Vec<i32> {
        let (low, high) = (self.low as i32, self.high as i32);
        let step = 1 + (high - low) / 10;
        (low..=high).filter(|power| power % step == 0).collect()
    }
}

/// The plot as an SVG document.
pub fn svg(comparison: &Comparison) -> String {
    // A peer / Multiloop, in every query; and all queries together in the last column.
    let dots = dots(comparison);
    let mut bars: Vec<(String, Option<f64>)> =
        comparison.pairs.iter().map(|pair| (format!("Q{}", pair.query), pair.ratio)).collect();
    bars.push(("mean".to_owned(), comparison.summary.geomean_ratio));
    let scale = Scale::around(bars.iter().filter_map(|bar| bar.1).chain(dots.iter().map(|dot| dot.2)));

    let width = (LEFT + COLUMN * bars.len() as f64 + RIGHT).max(WIDTH_MIN);
    let height = TOP + HEIGHT + BOTTOM;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    title(&mut text, comparison);
    axis(&mut text, &scale, width);
    for (column, (name, ratio)) in bars.iter().enumerate() {
        bar(&mut text, &scale, column, name, *ratio);
    }
    for (column, peer, ratio) in &dots {
        // Side by side, so that equal ones are both seen.
        let aside = (*peer as f64 - (comparison.peers.len() as f64 - 1.0) / 2.0) * 4.0;
        let (x, y) = (middle(*column) + aside, scale.y(*ratio));
        let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{}\"/>", colour(*peer));
    }
    text.push_str("</svg>\n");
    text
}

/// Dots as (column, peer, ratio).
fn dots(comparison: &Comparison) -> Vec<(usize, usize, f64)> {
    let mut dots = Vec::new();
    for (peer, report) in comparison.peers.iter().enumerate() {
        for (column, pair) in comparison.pairs.iter().enumerate() {
            let theirs = report.query(pair.query).and_then(|query| query.median_ms);
            if let Some(ratio) = theirs.and_then(|theirs| super::pairs::ratio(theirs, pair.multiloop_ms?)) {
                dots.push((column, peer, ratio));
            }
        }
        dots.extend(report.ratio.map(|ratio| (comparison.pairs.len(), peer, ratio)));
    }
    dots
}

fn title(text: &mut String, comparison: &Comparison) {
    let ours = &comparison.multiloop;
    let threads = if ours.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", ours.threads) };
    let _ = writeln!(
        text,
        "<text x=\"{LEFT}\" y=\"28\" font-size=\"18\" font-weight=\"bold\">TPC-H, scale factor {}, {threads}: \
         time of a peer / time of Multiloop</text>",
        ours.sf
    );
    let _ = writeln!(
        text,
        "<text x=\"{LEFT}\" y=\"50\" fill=\"#444444\">Above 1, Multiloop is faster. Bars: the best peer of each query. \
         Medians of {} runs, {}.</text>",
        comparison.runs,
        escape(comparison.order)
    );
    let mut x = LEFT + 4.0;
    for (peer, report) in comparison.peers.iter().enumerate() {
        let name = format!("{} {}", report.engine, report.version.as_deref().unwrap_or("(did not load)"));
        let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"72\" r=\"4\" fill=\"{}\"/>", colour(peer));
        let _ = writeln!(text, "<text x=\"{:.1}\" y=\"76\">{}</text>", x + 9.0, escape(&name));
        x += 32.0 + 6.6 * name.chars().count() as f64;
    }
}

fn axis(text: &mut String, scale: &Scale, width: f64) {
    for power in scale.ticks() {
        let y = scale.y(f64::from(power).exp2());
        let name = if power < 0 { format!("1/{}", 2.0_f64.powi(-power)) } else { 2.0_f64.powi(power).to_string() };
        let colour = if power == 0 { "#000000" } else { "#dddddd" };
        let _ = writeln!(
            text,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            width - RIGHT,
            LEFT - 8.0,
            y + 4.0
        );
    }
}

fn bar(text: &mut String, scale: &Scale, column: usize, name: &str, ratio: Option<f64>) {
    let x = middle(column);
    if let Some(ratio) = ratio {
        let (one, end) = (scale.y(1.0), scale.y(ratio));
        let (top, height) = (one.min(end), (one - end).abs());
        let colour = if ratio >= 1.0 { FASTER } else { SLOWER };
        let left = x - COLUMN * 0.36;
        let _ = writeln!(
            text,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>",
            COLUMN * 0.72
        );
    }
    let value = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    let (first, second) = (TOP + HEIGHT + 24.0, TOP + HEIGHT + 42.0);
    let _ = writeln!(
        text,
        "<text x=\"{x:.1}\" y=\"{first:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text x=\"{x:.1}\" y=\"{second:.1}\" text-anchor=\"middle\" font-weight=\"bold\">{value}</text>",
        escape(name)
    );
}

fn middle(column: usize) -> f64 {
    LEFT + COLUMN * (column as f64 + 0.5)
}

fn colour(peer: usize) -> &'static str {
    DOTS[peer % DOTS.len()]
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
