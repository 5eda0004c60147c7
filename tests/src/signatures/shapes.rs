//! Calls to make, as texts with places for arguments: of each function that the planner's registry lists, for argument types that
//! its words allow.

use super::values::{Random, TYPES, any, type_of};
use multiloop::{FunctionKind, FunctionSummary};

/// How a call is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Aggregate,
    Window,
    Rows,
}

/// A call: `{0}`, `{1}` and so on stand for its arguments, of these types.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// What it is a call of.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) types: Vec<usize>,
    pub(super) kind: Kind,
    /// Arguments that may be no columns: those of aggregates that are one for all rows.
    pub(super) fixed: Vec<usize>,
}

/// Functions whose values differ from call to call.
const VOLATILE: &[&str] = &[
    "random",
    "gen_random_uuid",
    "uuid",
    "clock_timestamp",
    "timeofday",
    "now",
    "current_timestamp",
    "transaction_timestamp",
    "statement_timestamp",
    "localtimestamp",
    "localtime",
    "current_time",
    "get_current_timestamp",
];

impl Shape {
    pub(super) fn is_volatile(&self) -> bool {
        VOLATILE.contains(&self.name.as_str())
    }

    /// The text with arguments in their places.
    pub(super) fn with(&self, arguments: &[String]) -> String {
        let mut text = self.text.clone();
        for (place, argument) in arguments.iter().enumerate() {
            text = text.replace(&format!("{{{place}}}"), argument);
        }
        text
    }
}

/// Texts that functions want in an argument: a part of their names, the argument's place, and the word for such texts.
const WANTED: &[(&str, usize, &str)] = &[
    ("date_part", 0, "unit"),
    ("datepart", 0, "unit"),
    ("date_trunc", 0, "unit"),
    ("date_trunc", 2, "zone"),
    ("datetrunc", 0, "unit"),
    ("date_diff", 0, "unit"),
    ("datediff", 0, "unit"),
    ("date_sub", 0, "unit"),
    ("datesub", 0, "unit"),
    ("timezone", 0, "zone"),
    ("make_timestamptz", 6, "zone"),
    ("to_char", 1, "template"),
    ("to_number", 1, "template"),
    ("to_date", 1, "template"),
    ("to_timestamp", 1, "template"),
    ("strftime", 1, "strftime"),
    ("strptime", 1, "strftime"),
    ("printf", 0, "printf"),
    ("format", 0, "printf"),
    ("regexp_", 1, "pattern"),
    ("_split_regex", 1, "pattern"),
    ("substring", 1, "pattern"),
    ("similar_to_escape", 0, "pattern"),
    ("regexp_replace", 3, "flags"),
    ("regexp_like", 2, "flags"),
    ("regexp_match", 2, "flags"),
    ("regexp_split", 2, "flags"),
    ("regexp_full_match", 2, "flags"),
    ("regexp_count", 3, "flags"),
    ("regexp_extract", 3, "flags"),
    ("regexp_instr", 5, "flags"),
    ("regexp_substr", 4, "flags"),
    ("encode", 1, "encoding"),
    ("decode", 1, "encoding"),
    ("convert", 1, "encoding"),
    ("convert", 2, "encoding"),
    ("jsonb_path_", 1, "path"),
    ("json_extract", 1, "path"),
    ("_aggr", 1, "aggregate"),
    ("list_sort", 1, "order"),
    ("array_sort", 1, "order"),
    ("list_sort", 2, "order"),
    ("list_reverse_sort", 1, "order"),
];

/// How many numbers of arguments a function takes.
pub(super) fn counts(function: &FunctionSummary) -> usize {
    slots(&function.arguments).iter().filter(|slot| slot.optional).count() + 1
}

/// A call of a function with so many of its last arguments left out.
pub(super) fn of_function(function: &FunctionSummary, left_out: usize, random: &mut Random) -> Shape {
    let slots = slots(&function.arguments);
    shape(function, &slots[..slots.len() - left_out], random)
}

fn shape(function: &FunctionSummary, slots: &[Slot], random: &mut Random) -> Shape {
    let element = element(slots, random);
    let mut types: Vec<usize> = Vec::new();
    for slot in slots {
        // `…`: none, one or two more.
        for _ in 0..if slot.repeats { random.below(3) } else { 1 } {
            let previous = types.last().copied();
            types.push(slot.choose(element, previous, random));
        }
    }
    for (part, place, word) in WANTED {
        let is_text = |of: usize| TYPES[of].sql == "text";
        if function.name.contains(part) && types.get(*place).is_some_and(|of| is_text(*of)) && random.below(4) > 0 {
            types[*place] = type_of(word).expect("the words for texts are there");
        }
    }
    let places: Vec<String> = (0..types.len()).map(|place| format!("{{{place}}}")).collect();
    let name = function.name;
    let call = match function.name {
        "count" if types.is_empty() => "count(*)".to_owned(),
        "current_timestamp" | "localtimestamp" | "current_date" | "localtime" | "current_time" if types.is_empty() => {
            name.to_owned()
        }
        "row_to_json" => "row_to_json(ROW({0}, 1))".to_owned(),
        _ => format!("{name}({})", places.join(", ")),
    };
    let (text, kind) = match function.kind {
        FunctionKind::Plain => (call, Kind::Plain),
        FunctionKind::Aggregate => (call, Kind::Aggregate),
        FunctionKind::Window => (call, Kind::Window),
        FunctionKind::Rows => (call, Kind::Rows),
        FunctionKind::OrderedSet => {
            let of = if name.contains("rank") || name == "cume_dist" { types[0] } else { random.below(any()) };
            types.push(of);
            (format!("{call} WITHIN GROUP (ORDER BY {{{}}})", types.len() - 1), Kind::Aggregate)
        }
    };
    let fixed = match function.kind {
        FunctionKind::OrderedSet => (0..types.len() - 1).collect(),
        FunctionKind::Aggregate if name.contains("quantile") || name == "approx_top_k" => vec![1],
        _ => Vec::new(),
    };
    Shape { name: name.to_owned(), text, types, kind, fixed }
}

/// A type for `anyelement`: one that has arrays, where one is asked for.
fn element(slots: &[Slot], random: &mut Random) -> usize {
    let all: Vec<usize> = if slots.iter().any(|slot| slot.words.iter().any(|word| word == "anyarray")) {
        (0..any()).filter(|of| type_of(&format!("{}[]", TYPES[*of].word)).is_some()).collect()
    } else {
        (0..any()).collect()
    };
    *random.one(&all)
}

/// What stands in place of an argument.
#[derive(Clone, Debug)]
struct Slot {
    words: Vec<String>,
    optional: bool,
    repeats: bool,
}

/// Phrases with commas in them.
const PHRASES: &[&str] = &[
    "a date, time or interval",
    "a number, timestamp or interval",
    "a date, timestamp or interval",
    "bytea, text or integer",
    "integer, bigint or bytea",
    "integers, numerics or timestamps",
];

/// The slots of a line of argument types.
fn slots(line: &str) -> Vec<Slot> {
    let mut line = line.to_owned();
    for phrase in PHRASES {
        line = line.replace(phrase, &phrase.replace(',', " or"));
    }
    let (mut slots, mut depth, mut part) = (Vec::new(), 0, String::new());
    let mut is_array = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '[' if characters.peek() == Some(&']') => is_array = true,
            ']' if is_array => {
                part.push_str("[]");
                is_array = false;
            }
            '[' | ']' | ',' => {
                push_slot(&mut slots, &part, depth > 0);
                part.clear();
                depth = match character {
                    '[' => depth + 1,
                    ']' => depth - 1,
                    _ => depth,
                };
            }
            _ => part.push(character),
        }
    }
    push_slot(&mut slots, &part, depth > 0);
    // What may be left out stands at the end, but for the start of range().
    slots.sort_by_key(|slot| slot.optional);
    slots
}

fn push_slot(slots: &mut Vec<Slot>, part: &str, optional: bool) {
    let part = part.trim();
    // `numeric [, integer] or double precision`: the other way to call it is left out.
    if part.starts_with("or ") {
        return;
    }
    if part == "…" {
        let words = slots.last().map_or_else(Vec::new, |slot| slot.words.clone());
        slots.push(Slot { words, optional, repeats: true });
    } else if !part.is_empty() {
        let words =
            part.split(" or ").map(|word| word.trim().trim_start_matches("a ").trim_start_matches("an ").to_owned());
        slots.push(Slot { words: words.collect(), optional, repeats: false });
    }
}

impl Slot {
    fn choose(&self, element: usize, previous: Option<usize>, random: &mut Random) -> usize {
        let named = |names: &[&str]| -> Vec<usize> { names.iter().filter_map(|name| type_of(name)).collect() };
        let numbers = ["smallint", "integer", "bigint", "real", "double precision", "numeric", "numeric(10,2)"];
        let array_of = |of: usize| {
            let array = type_of(&format!("{}[]", TYPES[of].word));
            vec![array.unwrap_or_else(|| type_of("text[]").expect("it is there"))]
        };
        let word = random.one(&self.words).as_str();
        let choices = match word {
            "anyelement" | "any that is ordered" | "the common type" => vec![element],
            "anyenum" => named(&["mood"]),
            "anyarray" => array_of(element),
            "array" => named(&["double precision[]"]),
            "number" | "numerics" => named(&numbers),
            "time" => named(&["time", "timetz", "timestamp", "timestamptz"]),
            "timestamp" | "timestamps" | "origin" => named(&["timestamp", "timestamptz", "date"]),
            "date" => named(&["date", "timestamp", "timestamptz"]),
            "integers" => named(&["integer", "bigint"]),
            "start" | "stop" | "step" => {
                named(&["integer", "bigint", "numeric", "timestamp", "timestamptz", "interval"])
            }
            "year" | "month" | "day" | "hour" | "minute" => named(&["integer"]),
            "seconds" => named(&["double precision"]),
            "another" => previous.map_or_else(Vec::new, |of| vec![of]),
            // More of the same, most often.
            "any" if random.below(4) > 0 => previous.map_or_else(Vec::new, |of| vec![of]),
            word => named(&[word]),
        };
        // What the words do not say may be anything.
        if choices.is_empty() { random.below(any()) } else { *random.one(&choices) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_words() {
        let shown = |line: &str| {
            let show = |slot: Slot| {
                let marks = format!("{}{}", if slot.optional { "?" } else { "" }, if slot.repeats { "*" } else { "" });
                format!("{}{marks}", slot.words.join("/"))
            };
            slots(line).into_iter().map(show).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown("text, integer [, text]"), "text integer text?");
        assert_eq!(shown("jsonb, text[], jsonb [, boolean]"), "jsonb text[] jsonb boolean?");
        assert_eq!(shown("text, a date, time or interval"), "text date/time/interval");
        assert_eq!(shown("any, …"), "any any*");
        assert_eq!(shown("[bigint,] bigint [, bigint]"), "bigint bigint? bigint?");
        assert_eq!(shown("numeric [, integer] or double precision"), "numeric integer?");
        assert_eq!(shown(""), "");
    }
}
