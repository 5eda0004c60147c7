//! Random expressions: conditions, keys of joins, what is selected, aggregates. None of them fails on the random tables,
//! since which of several errors is reported, and whether before a condition is asked, is free.

use super::data::{Column, Kind, Source};
use super::writer::{Reference, Writer, are_comparable};

const COMPARISONS: [&str; 6] = ["=", ">", "<", "<>", ">=", "<="];

impl Writer<'_> {
    /// A condition on columns of some sources.
    pub(crate) fn condition(&mut self, sources: &[Source], depth: usize) -> String {
        self.choices.enter("condition");
        let text = match self.choices.weighted(&[8, 2, 2, 1]) {
            1 if depth > 0 => {
                format!("({} AND {})", self.condition(sources, depth - 1), self.condition(sources, depth - 1))
            }
            2 if depth > 0 => {
                format!("({} OR {})", self.condition(sources, depth - 1), self.condition(sources, depth - 1))
            }
            3 if depth > 0 => format!("NOT ({})", self.condition(sources, depth - 1)),
            _ => self.simple_condition(sources),
        };
        self.choices.leave();
        text
    }

    fn simple_condition(&mut self, sources: &[Source]) -> String {
        let found = Self::references(sources, |column| column.exact);
        if found.is_empty() {
            return "true".to_owned();
        }
        let Reference { text, column } = found[self.choices.pick(found.len())].clone();
        let compare = self.choices.one(&COMPARISONS);
        match self.choices.weighted(&[6, 2, 2, 2, 2, 2, 2, 1]) {
            1 => format!("{text} IS NULL"),
            2 => format!("{text} IS NOT NULL"),
            3 => {
                let list: Vec<String> = (0..=self.choices.pick(4)).map(|_| self.literal(&column)).collect();
                let not = self.choices.one(&["", "NOT "]);
                format!("{text} {not}IN ({})", list.join(", "))
            }
            4 => format!("{text} BETWEEN ({}) AND {}", column.kind.value("1"), self.literal(&column)),
            5 => {
                let others: Vec<_> = found.iter().filter(|other| are_comparable(&other.column, &column)).collect();
                format!("{text} {compare} {}", others[self.choices.pick(others.len())].text)
            }
            6 => self.special_condition(&text, column.kind),
            7 => {
                let distinct = self.choices.one(&["IS DISTINCT FROM", "IS NOT DISTINCT FROM"]);
                format!("{text} {distinct} {}", self.literal(&column))
            }
            _ => format!("{text} {compare} {}", self.literal(&column)),
        }
    }

    fn special_condition(&mut self, text: &str, kind: Kind) -> String {
        match kind {
            Kind::Int | Kind::BigInt => format!("{text} % {} = 1", self.choices.one(&["2", "3", "7"])),
            Kind::Numeric | Kind::Double | Kind::Real => format!("{text} * 2 > {text} + 3"),
            Kind::Text | Kind::Varchar | Kind::Char => {
                let pattern = self.choices.one(&["s1%", "%2%", "s_", "%", "s__%"]);
                format!("{text} {}LIKE '{pattern}'", self.choices.one(&["", "NOT "]))
            }
            Kind::Date | Kind::Timestamp => format!("extract(month FROM {text}) < {}", 1 + self.choices.pick(12)),
            Kind::Time => format!("extract(hour FROM {text}) < 9"),
            Kind::Interval => format!("{text} * 2 > interval '9 days'"),
            Kind::Bool => self.choices.one(&["{}", "NOT {}", "{} IS NOT TRUE"]).replace("{}", text),
        }
    }

    /// An equality of two columns of a kind, or of expressions of them.
    pub(crate) fn equality(&mut self, left: &Reference, right: &Reference) -> String {
        self.choices.enter("equality");
        let shapes: &[&str] = match left.column.kind {
            _ if self.choices.once_in(2) == (left.column.kind == right.column.kind)
                && left.column.kind != Kind::Bool =>
            {
                &["{l} = {r}"]
            }
            Kind::Int | Kind::BigInt => &[
                "{l} = {r}",
                "{l} + 1 = {r}",
                "{l} = {r} - 2",
                "{l} + 1 = {r} + 1",
                "abs({l}) = {r}",
                "cast({l} as bigint) = {r}",
                "{l} * 2 = {r} * 2",
                "coalesce({l}, -1) = {r}",
                "-{l} = -{r}",
            ],
            Kind::Numeric => &["{l} = {r}", "{l} + 0.25 = {r}", "{l} * 2 = {r} * 2", "{l} - 1 = {r} - 1"],
            Kind::Double | Kind::Real => &["{l} = {r}", "{l} + 1 = {r}", "-{l} = -{r}"],
            Kind::Text | Kind::Varchar => &["{l} = {r}", "upper({l}) = upper({r})", "{l} || 'x' = {r} || 'x'"],
            Kind::Char => &["{l} = {r}", "cast({l} as text) = cast({r} as text)"],
            Kind::Date => &["{l} = {r}", "{l} + 1 = {r}", "{l} - 1 = {r} - 1", "cast({l} as timestamp) = {r}"],
            Kind::Timestamp => &[
                "{l} = {r}",
                "{l} + interval '1 hour' = {r}",
                "date_trunc('hour', {l}) = date_trunc('hour', {r})",
                "{l} - interval '1 day' = {r} - interval '1 day'",
            ],
            Kind::Time => &["{l} = {r}", "{l} + interval '1 minute' = {r}"],
            Kind::Interval => &["{l} = {r}", "{l} + interval '1 day' = {r}"],
            Kind::Bool => &["{l} = {r}", "NOT {l} = {r}"],
        };
        // Operands of different kinds stay as they are.
        let shapes = if left.column.kind == right.column.kind { shapes } else { &["{l} = {r}"] };
        let text = self.choices.one(shapes).replace("{l}", &left.text).replace("{r}", &right.text);
        self.choices.leave();
        text
    }

    /// Something to select: a column of the innermost SELECT, or an expression over one.
    pub(crate) fn selected(&mut self) -> (String, Column) {
        self.choices.enter("selected");
        let found = self.reference(|_| true);
        let selected = match found {
            None => ("1".to_owned(), column("", Kind::Int, 1.0, true)),
            Some(Reference { text, column }) if !column.exact || self.choices.weighted(&[3, 2]) == 0 => (text, column),
            Some(Reference { text, column }) => self.expression(text, column),
        };
        self.choices.leave();
        selected
    }

    fn expression(&mut self, text: String, from: Column) -> (String, Column) {
        let sources = self.scope();
        let distinct = from.distinct;
        match self.choices.pick(6) {
            // Many rows may have the constant.
            0 => (format!("coalesce({text}, {})", self.literal(&from)), Column { distinct: 1.0, ..from }),
            1 => {
                let condition = self.condition(&sources, 0);
                (format!("CASE WHEN {condition} THEN {text} END"), from)
            }
            2 => (format!("nullif({text}, {})", self.literal(&from)), from),
            3 => (format!("({})", self.condition(&sources, 1)), column("", Kind::Bool, 2.0, true)),
            4 => match from.kind {
                Kind::Int => (format!("{text} + 1"), from),
                Kind::BigInt => (format!("{text} % 10"), column("", Kind::BigInt, 10.0, true)),
                Kind::Numeric => (format!("{text} * 3"), from),
                Kind::Date => {
                    (format!("cast(extract(month FROM {text}) as integer)"), column("", Kind::Int, 12.0, true))
                }
                Kind::Timestamp => {
                    (format!("cast({text} as date)"), column("", Kind::Date, distinct / 24.0 + 1.0, true))
                }
                Kind::Text | Kind::Varchar | Kind::Char => {
                    (format!("length({text})"), column("", Kind::Int, 2.0, true))
                }
                Kind::Double => (format!("{text} / 2"), from),
                _ => (text, from),
            },
            _ => (format!("greatest({text}, {})", self.literal(&from)), Column { distinct: 1.0, ..from }),
        }
    }

    /// An aggregate over the innermost SELECT, which has about so many groups.
    pub(crate) fn aggregate(&mut self, groups: f64) -> (String, Column) {
        self.choices.enter("aggregate");
        let found = self.reference(|column| column.exact);
        let shape = self.choices.weighted(&[4, 4, 2, 2, 2, 1, 1, 1, 1]);
        let (mut text, mut result) = match found {
            Some(Reference { text, column }) if shape > 0 => aggregate_of(shape, text, &column),
            _ => ("count(*)".to_owned(), column("", Kind::BigInt, 1.0, true)),
        };
        if self.choices.once_in(6) {
            let sources = self.scope();
            text = format!("{text} FILTER (WHERE {})", self.condition(&sources, 0));
        }
        result.distinct = result.distinct.min(groups);
        self.choices.leave();
        (text, result)
    }
}

/// A column that has no name yet.
pub(crate) fn column(name: &str, kind: Kind, distinct: f64, exact: bool) -> Column {
    Column { name: name.to_owned(), kind, distinct, exact }
}

fn aggregate_of(shape: usize, text: String, from: &Column) -> (String, Column) {
    let of = |function: &str, kind: Kind, exact: bool| {
        let distinct = match function {
            "min" | "max" => from.distinct,
            "count" => 1.0,
            _ => 10.0,
        };
        (format!("{function}({text})"), column("", kind, distinct, exact))
    };
    let is_summed = matches!(from.kind, Kind::Int | Kind::BigInt | Kind::Numeric | Kind::Double);
    match shape {
        1 if from.kind == Kind::Int => of("sum", Kind::BigInt, true),
        1 if from.kind == Kind::Double => of("sum", Kind::Double, true),
        1 if is_summed => of("sum", Kind::Numeric, true),
        2 if from.kind != Kind::Bool => of("min", from.kind, true),
        3 if from.kind != Kind::Bool => of("max", from.kind, true),
        4 => of("count", Kind::BigInt, true),
        5 if from.kind == Kind::Double => of("avg", Kind::Double, false),
        5 if is_summed => of("avg", Kind::Numeric, false),
        6 => (format!("count(DISTINCT {text})"), column("", Kind::BigInt, 1.0, true)),
        7 if is_summed => {
            let kind = if from.kind == Kind::Double { Kind::Double } else { Kind::Numeric };
            of("stddev_samp", kind, false)
        }
        _ if from.kind == Kind::Bool => of("bool_or", Kind::Bool, true),
        _ => of("count", Kind::BigInt, true),
    }
}
