//! Pictures as SVG: points in the colours of their clusters, and a number by iteration.

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

    fn place(&self, value: f64) -> f64 {
        self.from + (value - self.least) / (self.greatest - self.least) * (self.to - self.from)
    }
}

/// Points, and the centroids of their clusters as crosses.
pub(super) fn clusters(title: &str, points: &[Dot], centroids: &[Dot]) -> String {
    let all = || points.iter().chain(centroids);
    let (x, y) = (Axis::x(all().map(|dot| dot.x)), Axis::y(all().map(|dot| dot.y)));
    picture(title, ("first dimension", "second dimension"), (&x, &y), |svg| {
        for dot in points {
            let (x, y, colour) = (x.place(dot.x), y.place(dot.y), colour(dot));
            writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="2" fill="{colour}" fill-opacity="0.5"/>"#)?;
        }
        for dot in centroids {
            let (x, y, colour) = (x.place(dot.x), y.place(dot.y), colour(dot));
            let cross = format!("M{:.1} {:.1}l12 12m0 -12l-12 12", x - 6.0, y - 6.0);
            writeln!(svg, r#"<path d="{cross}" stroke="white" stroke-width="5"/>"#)?;
            writeln!(svg, r#"<path d="{cross}" stroke="{colour}" stroke-width="3"/>"#)?;
        }
        Ok(())
    })
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
        let places: Vec<(f64, f64)> =
            numbered().filter(is_drawn).map(|(at, value)| (x.place(at), y.place(value))).collect();
        let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        writeln!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>"#,
            line.join(" "),
            COLOURS[0]
        )?;
        for (x, y) in places {
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
    use super::{Dot, clusters, convergence};

    #[test]
    fn pictures_have_what_they_are_given() {
        let dot = |x: f64, cluster: usize| Dot { x, y: -x, cluster };
        let svg = clusters("a < b & c", &[dot(1.0, 0), dot(2.0, 11)], &[dot(1.5, 1)]);
        assert!(svg.contains("a &lt; b &amp; c") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<path").count()), (2, 2), "{svg}");
    }

    #[test]
    fn lines_without_a_height_are_drawn() {
        for values in [&[][..], &[3.0], &[2.0, 2.0], &[f64::NAN, 1.0]] {
            let svg = convergence("loss", "sum", values);
            assert!(svg.contains("<polyline") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
