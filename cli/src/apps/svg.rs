//! Pictures as SVG: points in the colours of their clusters or classes, and a number by iteration.

use std::fmt::{Result, Write as _};

/// The size of a picture.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 480.0;

/// What a picture leaves free around its frame.
const MARGIN: f64 = 72.0;

const COLOURS: [&str; 10] =
    ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"];

/// A point of a cluster in two dimensions.
pub(super) struct Dot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) cluster: usize,
}

/// An axis: which values it has, and where these are in the picture.
struct Axis {
    least: f64,
    greatest: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (least, greatest) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        match least < greatest {
            true => Axis { least, greatest, from, to },
            false if least.is_finite() => Axis { least: least - 1.0, greatest: least + 1.0, from, to },
            false => Axis { least: 0.0, greatest: 1.0, from, to },
        }
    }

    fn x(values: impl Iterator<Item = f64>) -> Self {
        Axis::of(values, MARGIN, WIDTH - MARGIN)
    }

    fn y(values: impl Iterator<Item = f64>) -> Self {
        Axis::of(values, HEIGHT - MARGIN, MARGIN)
    }

    fn has(&self, value: f64) -> bool {
        value >= self.least && value <= self.greatest
    }

    fn place(&self, value: f64) -> f64 {
        self.from + (value - self.least) / (self.greatest - self.least) * (self.to - self.from)
    }
}

/// Points, and the centroids of their clusters as crosses.
pub(super) fn clusters(title: &str, points: &[Dot], centroids: &[Dot]) -> String {
    let (x, y) = axes(points.iter().chain(centroids));
    picture(title, DIMENSIONS, (&x, &y), |svg| {
        dots(svg, points, (&x, &y))?;
        crosses(svg, centroids, (&x, &y))
    })
}

/// Points of two classes, their means as crosses, around these the ellipses of one and of two deviations of a covariance, and the
/// line on which both are equally likely, of which class 1 is by these odds, whose logarithm is given.
pub(super) fn classes(
    title: &str,
    points: &[Dot],
    means: &[Dot; 2],
    covariance: [[f64; 2]; 2],
    log_odds: f64,
) -> String {
    let (x, y) = axes(points.iter().chain(means));
    picture(title, DIMENSIONS, (&x, &y), |svg| {
        dots(svg, points, (&x, &y))?;
        for (mean, deviations) in means.iter().flat_map(|mean| [(mean, 1.0), (mean, 2.0)]) {
            let around = |(dx, dy): (f64, f64)| (mean.x + deviations * dx, mean.y + deviations * dy);
            let places: Vec<(f64, f64)> = ellipse(covariance).map(around).collect();
            line(svg, &places, (&x, &y), colour(mean), "")?;
        }
        let (weights, threshold) = parting(means, covariance, log_odds);
        line(svg, &crossing(weights, threshold, (&x, &y)), (&x, &y), "black", r#" stroke-dasharray="8 5""#)?;
        crosses(svg, means, (&x, &y))
    })
}

/// The names of axes where the first two dimensions of many are drawn.
const DIMENSIONS: (&str, &str) = ("first dimension", "second dimension");

fn axes<'a>(all: impl Iterator<Item = &'a Dot> + Clone) -> (Axis, Axis) {
    (Axis::x(all.clone().map(|dot| dot.x)), Axis::y(all.map(|dot| dot.y)))
}

fn dots(svg: &mut String, points: &[Dot], (x, y): (&Axis, &Axis)) -> Result {
    for dot in points {
        let (x, y, colour) = (x.place(dot.x), y.place(dot.y), colour(dot));
        writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="2" fill="{colour}" fill-opacity="0.5"/>"#)?;
    }
    Ok(())
}

fn crosses(svg: &mut String, middles: &[Dot], (x, y): (&Axis, &Axis)) -> Result {
    for dot in middles {
        let (x, y, colour) = (x.place(dot.x), y.place(dot.y), colour(dot));
        let cross = format!("M{:.1} {:.1}l12 12m0 -12l-12 12", x - 6.0, y - 6.0);
        writeln!(svg, r#"<path d="{cross}" stroke="white" stroke-width="5"/>"#)?;
        writeln!(svg, r#"<path d="{cross}" stroke="{colour}" stroke-width="3"/>"#)?;
    }
    Ok(())
}

/// A line through points that are numbers; what lies outside of the frame is drawn, too.
fn line(svg: &mut String, points: &[(f64, f64)], (x, y): (&Axis, &Axis), colour: &str, more: &str) -> Result {
    let places: Vec<String> =
        points.iter().map(|&(at_x, at_y)| format!("{:.1},{:.1}", x.place(at_x), y.place(at_y))).collect();
    let places = places.join(" ");
    writeln!(svg, r#"<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"{more}/>"#)
}

/// The points that are one deviation of a covariance away from the mean: its Cholesky factor times the circle.
fn ellipse([[xx, _], [xy, yy]]: [[f64; 2]; 2]) -> impl Iterator<Item = (f64, f64)> {
    let first = xx.max(0.0).sqrt();
    let shared = if first > 0.0 { xy / first } else { 0.0 };
    let second = (yy - shared * shared).max(0.0).sqrt();
    (0..=60).map(move |step| {
        let (sin, cos) = (f64::from(step) * std::f64::consts::TAU / 60.0).sin_cos();
        (first * cos, shared * cos + second * sin)
    })
}

/// The weights and the threshold of the line between two means: what lies on it, times the weights, is the threshold.
fn parting([from, to]: &[Dot; 2], [[xx, xy], [_, yy]]: [[f64; 2]; 2], log_odds: f64) -> ([f64; 2], f64) {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let determinant = xx * yy - xy * xy;
    let weights = [(yy * dx - xy * dy) / determinant, (xx * dy - xy * dx) / determinant];
    let threshold = (weights[0] * (from.x + to.x) + weights[1] * (from.y + to.y)) / 2.0 - log_odds;
    (weights, threshold)
}

/// Where a line enters the frame and where it leaves it; nothing if it does neither.
fn crossing([a, b]: [f64; 2], threshold: f64, (x, y): (&Axis, &Axis)) -> Vec<(f64, f64)> {
    let sides = [x.least, x.greatest].map(|at| (at, (threshold - a * at) / b));
    let ends = [y.least, y.greatest].map(|at| ((threshold - b * at) / a, at));
    let mut found: Vec<(f64, f64)> =
        sides.into_iter().chain(ends).filter(|&(at_x, at_y)| x.has(at_x) && y.has(at_y)).collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    match found[..] {
        [first, .., last] => vec![first, last],
        _ => Vec::new(),
    }
}

fn colour(dot: &Dot) -> &'static str {
    COLOURS[dot.cluster % COLOURS.len()]
}

/// A number by iteration, from 1.
pub(super) fn convergence(title: &str, name: &str, values: &[f64]) -> String {
    let numbered = || (1..=values.len()).map(|iteration| iteration as f64).zip(values.iter().copied());
    let (x, y) = (Axis::x(numbered().map(|(at, _)| at)), Axis::y(values.iter().copied()));
    picture(title, ("iteration", name), (&x, &y), |svg| {
        let is_drawn = |(_, value): &(f64, f64)| value.is_finite();
        let points: Vec<(f64, f64)> = numbered().filter(is_drawn).collect();
        line(svg, &points, (&x, &y), COLOURS[0], "")?;
        for (at, value) in points {
            let (x, y) = (x.place(at), y.place(value));
            writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{}"/>"#, COLOURS[0])?;
        }
        Ok(())
    })
}

/// A frame with a title, names at its axes and their ends, and what is drawn within.
fn picture(
    title: &str,
    names: (&str, &str),
    (x, y): (&Axis, &Axis),
    draw: impl FnOnce(&mut String) -> Result,
) -> String {
    let mut svg = String::new();
    // Writing to a String does not fail.
    let _ = frame(&mut svg, title, names, (x, y)).and_then(|()| draw(&mut svg));
    svg.push_str("</svg>\n");
    svg
}

fn frame(svg: &mut String, title: &str, names: (&str, &str), (x, y): (&Axis, &Axis)) -> Result {
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">"#
    )?;
    writeln!(svg, r#"<rect width="100%" height="100%" fill="white"/>"#)?;
    let (width, height) = (WIDTH - 2.0 * MARGIN, HEIGHT - 2.0 * MARGIN);
    writeln!(
        svg,
        r##"<rect x="{MARGIN}" y="{MARGIN}" width="{width}" height="{height}" fill="none" stroke="#999999"/>"##
    )?;
    let (middle, bottom) = (WIDTH / 2.0, HEIGHT - MARGIN + 18.0);
    text(svg, (middle, MARGIN - 24.0), "middle", title)?;
    text(svg, (middle, bottom + 18.0), "middle", names.0)?;
    text(svg, (MARGIN, MARGIN - 6.0), "start", names.1)?;
    text(svg, (MARGIN, bottom), "middle", &number(x.least))?;
    text(svg, (WIDTH - MARGIN, bottom), "middle", &number(x.greatest))?;
    text(svg, (MARGIN - 6.0, HEIGHT - MARGIN), "end", &number(y.least))?;
    text(svg, (MARGIN - 6.0, MARGIN + 10.0), "end", &number(y.greatest))
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, said: &str) -> Result {
    let said = said.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(svg, r#"<text x="{x}" y="{y}" text-anchor="{anchor}">{said}</text>"#)
}

/// A number with about four digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e6).contains(&size) => format!("{value:.3e}"),
        size if size >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Dot, classes, clusters, convergence, crossing, ellipse, parting};

    #[test]
    fn pictures_have_what_they_are_given() {
        let dot = |x: f64, cluster: usize| Dot { x, y: -x, cluster };
        let svg = clusters("a < b & c", &[dot(1.0, 0), dot(2.0, 11)], &[dot(1.5, 1)]);
        assert!(svg.contains("a &lt; b &amp; c") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<path").count()), (2, 2), "{svg}");
    }

    #[test]
    fn two_classes_are_parted() {
        let dot = |x: f64, y: f64, cluster: usize| Dot { x, y, cluster };
        let means = [dot(0.0, 0.0, 0), dot(4.0, 0.0, 1)];
        let (weights, threshold) = parting(&means, [[2.0, 0.0], [0.0, 1.0]], 0.0);
        assert_eq!((weights, threshold), ([2.0, 0.0], 4.0));
        let (x, y) = (Axis::x([-1.0, 5.0].into_iter()), Axis::y([-3.0, 3.0].into_iter()));
        assert_eq!(crossing(weights, threshold, (&x, &y)), [(2.0, -3.0), (2.0, 3.0)]);
        assert_eq!(crossing(weights, 100.0, (&x, &y)), []);
        // All of the ellipse is one deviation away.
        let [xx, xy, yy] = [2.0, 0.5, 1.0];
        for (x, y) in ellipse([[xx, xy], [xy, yy]]) {
            let squares = (yy * x * x - 2.0 * xy * x * y + xx * y * y) / (xx * yy - xy * xy);
            assert!((squares - 1.0).abs() < 1e-12, "{x} {y}");
        }
        let svg = classes("classes", &[dot(1.0, 2.0, 0), dot(5.0, -2.0, 1)], &means, [[xx, xy], [xy, yy]], 0.3);
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<path").count()), (5, 4), "{svg}");
        // Of one sample there is no covariance.
        let svg = classes("one", &[], &[dot(1.0, 1.0, 0), dot(1.0, 1.0, 1)], [[0.0; 2]; 2], f64::NAN);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn lines_without_a_height_are_drawn() {
        for values in [&[][..], &[3.0], &[2.0, 2.0], &[f64::NAN, 1.0]] {
            let svg = convergence("loss", "sum", values);
            assert!(svg.contains("<polyline") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
