//! A session's view of values: the time zone in which instants are shown and read, and the names of what object identifiers
//! stand for. A result has the sight of the statement that gave it.

use crate::Result;
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::evaluate::zone::Zone;
use multiloop_planner::evaluate::{
    UTC, append_json, format_in, interval_style, parse, parse_in, parse_interval, parse_now,
};
use multiloop_planner::function::IntervalStyle;
use multiloop_planner::types::{DataType, Field, OidKind};
use multiloop_planner::value::Value;
use std::fmt;
use std::sync::Arc;

/// What knows objects by name and by number.
pub(crate) trait Names: Send + Sync {
    /// The name of an object, as it can be written where it is looked for; none if there is no such object.
    fn name_of(&self, kind: OidKind, oid: u32) -> Option<String>;

    /// The number of an object by its name as it is written.
    fn number_of(&self, kind: OidKind, name: &str) -> Result<u32>;

    /// The number of a type that was made, or of arrays of one.
    fn number_of_type(&self, data_type: DataType) -> Option<u32>;
}

/// How a session sees values.
#[derive(Clone)]
pub struct Sight {
    /// As the engine's functions know it.
    zone: Arc<str>,
    style: IntervalStyle,
    names: Option<Arc<dyn Names>>,
    /// The time, in microseconds since 1970, where texts are read as literals are: `today` is a day then.
    now: Option<i64>,
}

impl Default for Sight {
    /// Nobody's: in UTC, and numbers have no names.
    fn default() -> Self {
        Sight { zone: Arc::from(UTC), style: IntervalStyle::Postgres, names: None, now: None }
    }
}

impl fmt::Debug for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sight").field("zone", &self.zone).finish_non_exhaustive()
    }
}

impl Sight {
    /// The name of the time zone.
    pub(crate) fn time_zone(&self) -> &str {
        &self.zone
    }

    /// With this time zone, by a name that [`Zone::named`] knows, this style of intervals, and these names.
    pub(crate) fn new(zone: Arc<str>, style: IntervalStyle, names: Arc<dyn Names>) -> Self {
        Sight { zone, style, names: Some(names), now: None }
    }

    /// The same at a time, in microseconds since 1970.
    pub(crate) fn at(self, now: i64) -> Self {
        Sight { now: Some(now), ..self }
    }

    /// How intervals are written.
    pub fn interval_style(&self) -> IntervalStyle {
        self.style
    }

    /// What values of these fields need: names keep a whole state of the catalog.
    pub(crate) fn of_fields(
        fields: &[Field],
        zone: &Arc<str>,
        style: IntervalStyle,
        names: impl FnOnce() -> Arc<dyn Names>,
    ) -> Self {
        let needs = |field: &Field| is_known_by_name(field.data_type);
        Sight { zone: Arc::clone(zone), style, names: fields.iter().any(needs).then(names), now: None }
    }

    /// Whether values of a type are other texts for other sessions, or the type has another number for them.
    pub fn matters_to(data_type: DataType) -> bool {
        data_type.is_zoned()
            || is_known_by_name(data_type)
            || data_type.element().unwrap_or(data_type) == DataType::Interval
    }

    /// The time zone.
    ///
    /// # Errors
    /// XX000: a zone was checked when it was set.
    pub fn zone(&self) -> Result<Zone> {
        Zone::named(&self.zone)
    }

    /// What a number of this kind is shown as: the name of the object, with its schema where it is not found without, and in
    /// quotes where it needs them; the number itself where there is no such object, `-` for 0.
    pub fn name_of(&self, kind: OidKind, oid: u32) -> String {
        match &self.names {
            _ if !kind.is_registered() => oid.to_string(),
            _ if oid == 0 => "-".to_owned(),
            Some(names) => names.name_of(kind, oid).unwrap_or_else(|| oid.to_string()),
            None => oid.to_string(),
        }
    }

    /// The number of a type that was made, or of arrays of one; none of others, and where it is not there.
    pub fn number_of_type(&self, data_type: DataType) -> Option<u32> {
        data_type.element().unwrap_or(data_type).labels()?;
        self.names.as_ref()?.number_of_type(data_type)
    }

    /// The text of a value that is not NULL.
    pub fn text_of(&self, value: &Value, data_type: DataType) -> String {
        let name = |kind: OidKind, value: &Value| match value {
            Value::Int(number) => self.name_of(kind, *number as u32),
            _ => String::new(),
        };
        match (data_type, data_type.element(), value) {
            (DataType::Oid(kind), ..) if kind != OidKind::Place => name(kind, value),
            (DataType::Interval, _, Value::Interval(interval)) => interval_style::show(*interval, self.style),
            (_, Some(DataType::Oid(kind)), Value::Text(encoded))
                if !data_type.is_zero_based() && kind != OidKind::Place =>
            {
                let Array { bounds, elements } = Array::decode(encoded, DataType::Oid(kind)).unwrap_or_default();
                let named = |value: &Value| if value.is_null() { Value::Null } else { Value::text(name(kind, value)) };
                let named = Array { bounds, elements: elements.iter().map(named).collect() };
                format_in(&Value::text(named.encode(DataType::Text)), DataType::list(DataType::Text), UTC)
            }
            _ => format_in(value, data_type, &self.zone),
        }
    }

    /// A value that is not NULL as JSON.
    pub fn json_of(&self, value: &Value, data_type: DataType) -> String {
        let mut json = String::new();
        append_json(value, data_type, &self.zone, &mut json);
        json
    }

    /// The value of a text, as PostgreSQL reads it (`'…'::type`).
    ///
    /// # Errors
    /// 22P02 and its kin for text that is no value of the type; 42P01, 42704 and 42883 for the name of what is not there.
    pub fn value_of(&self, text: &str, data_type: DataType) -> Result<Value> {
        match (data_type, data_type.element()) {
            (DataType::Oid(kind), _) => self.number_of(text, kind),
            (DataType::Interval, _) => parse_interval(text, None, self.style).map(Value::Interval),
            (_, Some(DataType::Oid(kind))) if !data_type.is_zero_based() => {
                let Value::Text(encoded) = parse(text, DataType::list(DataType::Text))? else { return Ok(Value::Null) };
                let Array { bounds, elements } = Array::decode(&encoded, DataType::Text).unwrap_or_default();
                let number = |value: Value| match value {
                    Value::Text(name) => self.number_of(&name, kind),
                    other => Ok(other),
                };
                let elements = elements.into_iter().map(number).collect::<Result<Vec<_>>>()?;
                Ok(Value::text(Array { bounds, elements }.encode(DataType::Oid(kind))))
            }
            _ => match self.now {
                Some(now) => parse_now(text, data_type, &self.zone, now),
                None => parse_in(text, data_type, &self.zone),
            },
        }
    }

    fn number_of(&self, text: &str, kind: OidKind) -> Result<Value> {
        let trimmed = text.trim();
        let is_name = kind.is_registered() && trimmed != "-" && !trimmed.bytes().all(|byte| byte.is_ascii_digit());
        match &self.names {
            Some(names) if is_name => names.number_of(kind, trimmed).map(|number| Value::Int(number.into())),
            _ => parse(text, DataType::Oid(kind)),
        }
    }
}

/// Whether values, or the type itself, are known by the names of objects.
fn is_known_by_name(data_type: DataType) -> bool {
    let of = data_type.element().unwrap_or(data_type);
    of.labels().is_some() || matches!(of, DataType::Oid(kind) if kind.is_registered())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, ErrorKind};

    /// One object of every kind.
    struct One;

    impl Names for One {
        fn name_of(&self, _: OidKind, oid: u32) -> Option<String> {
            (oid == 7).then(|| "a.\"B c\"".to_owned())
        }

        fn number_of(&self, _: OidKind, name: &str) -> Result<u32> {
            if name == "one" { Ok(7) } else { Err(Error::new(ErrorKind::UnknownTable, name.to_owned())) }
        }

        fn number_of_type(&self, data_type: DataType) -> Option<u32> {
            Some(if data_type.element().is_some() { 9 } else { 8 })
        }
    }

    #[test]
    fn names_and_zones() {
        let sight = Sight::new(Arc::from("Europe/Berlin"), IntervalStyle::Postgres, Arc::new(One));
        let class = DataType::Oid(OidKind::Class);
        let classes = DataType::list(class);
        let instants = DataType::list(DataType::TimestampTz);
        for (text, data_type, shown) in [
            ("one", class, "a.\"B c\""),
            (" 7 ", class, "a.\"B c\""),
            ("8", class, "8"),
            ("-", class, "-"),
            ("7", DataType::OID, "7"),
            ("[0:2]={one,NULL,9}", classes, "[0:2]={\"a.\\\"B c\\\"\",NULL,9}"),
            ("2024-07-01 00:00", DataType::TimestampTz, "2024-07-01 00:00:00+02"),
            ("{2024-07-01 00:00Z}", instants, "{\"2024-07-01 02:00:00+02\"}"),
            ("1.50", DataType::Numeric, "1.50"),
        ] {
            let value = sight.value_of(text, data_type).expect("it is a value");
            assert_eq!(sight.text_of(&value, data_type), shown, "{text}");
        }
        let state = |text: &str, data_type| sight.value_of(text, data_type).map_err(|error| error.sqlstate());
        assert_eq!(state("two", class), Err("42P01"));
        assert_eq!(state("{one,two}", classes), Err("42P01"));
        assert_eq!(state("one", DataType::OID), Err("22P02"));
        assert_eq!(state("", class), Err("0A000"));
        assert_eq!(Sight::default().name_of(OidKind::Class, 7), "7");
        let mood = DataType::enumeration("mood", vec!["sad".to_owned()]);
        assert_eq!((sight.number_of_type(mood), sight.number_of_type(DataType::list(mood))), (Some(8), Some(9)));
        assert_eq!((sight.number_of_type(DataType::Text), Sight::default().number_of_type(mood)), (None, None));
    }
}
