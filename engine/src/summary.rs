//! SUMMARIZE: what the columns of a query hold, a row for each, as DuckDB has it.
//!
//! The query's rows pass by once, and of each column little is kept: least and greatest value, sums, a sketch of how many values
//! are different, and a sample, which is all of few values. Which values are in the sample depends on nothing but their order, so
//! that it is the same for any number of threads.

use crate::format::array_of;
use crate::sight::Sight;
use crate::stream::ResultStream;
use crate::{Error, Result};
use arrow::array::{ArrayRef, RecordBatch};
use multiloop_exec::column::arrow::{schema_of, to_column_of};
use multiloop_exec::column::distinct::Sketch;
use multiloop_exec::column::hash::{hash_of, mix};
use multiloop_exec::column::{Column, ColumnData};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_planner::evaluate::calendar::DAY;
use multiloop_planner::evaluate::{cast, format};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// Values of a column up to which all are in its sample; of more, between half as many and these.
const SAMPLE_VALUES: usize = 1 << 15;

/// Different values up to which they are counted one by one.
const FEW_VALUES: usize = 1 << 10;

/// Bytes of a sketch, about.
const SKETCH_BYTES: usize = 1 << 12;

/// Batches whose columns are looked at together, for each worker.
const BATCHES_A_WORKER: usize = 4;

/// The columns of a summary.
pub(crate) fn fields() -> Vec<Field> {
    let text = |name: &str| Field::new(name, DataType::Text, true);
    let number = |name: &str| Field::new(name, DataType::BigInt, true);
    vec![
        text("column_name"),
        text("column_type"),
        text("min"),
        text("max"),
        number("approx_unique"),
        text("avg"),
        text("std"),
        text("q25"),
        text("q50"),
        text("q75"),
        number("count"),
        Field::new("null_percentage", DataType::decimal(9, 2), true),
    ]
}

/// What the columns of some rows hold: these have the fields.
///
/// Errors: whatever the rows give; 53200 where there is no memory for so many columns.
pub(crate) fn summarize(
    fields: &[Field],
    rows: ResultStream,
    sight: &Sight,
    context: &Context,
) -> Result<ResultStream> {
    let timings = rows.timings();
    let own: Vec<Field> = rows.fields().to_vec();
    let mut memory = Reservation::new(&context.memory);
    let mut summaries: Vec<Summary> = own.iter().map(|field| Summary::new(field.data_type)).collect();
    let mut wave: Vec<RecordBatch> = Vec::new();
    let most = context.workers().count() * BATCHES_A_WORKER;
    let mut look = |wave: &mut Vec<RecordBatch>| {
        let see = |(place, mut summary): (usize, Summary)| {
            for batch in wave.iter() {
                context.check()?;
                summary.see(&to_column_of(batch.column(place), &own[place])?);
            }
            Ok(summary)
        };
        let with_places = std::mem::take(&mut summaries).into_iter().enumerate().collect();
        summaries = context.workers().map(with_places, see)?;
        wave.clear();
        memory.resize(summaries.iter().map(Summary::bytes).sum())
    };
    for batch in rows {
        wave.push(batch?);
        if wave.len() >= most {
            look(&mut wave)?;
        }
    }
    look(&mut wave)?;
    let rows: Vec<Vec<Value>> =
        fields.iter().zip(&own).zip(&summaries).map(|((field, own), of)| of.row(field, own.data_type, sight)).collect();
    table(&rows).map(|rows| rows.with_verb("SUMMARIZE").with_timings(timings))
}

fn table(rows: &[Vec<Value>]) -> Result<ResultStream> {
    let fields = fields();
    let array = |(at, field): (usize, &Field)| {
        let values: Vec<Value> = rows.iter().map(|row| row[at].clone()).collect();
        array_of(&values, field.data_type)
    };
    let arrays = fields.iter().enumerate().map(array).collect::<Result<Vec<ArrayRef>>>()?;
    let schema = schema_of(&fields);
    let batch = RecordBatch::try_new(schema.clone(), arrays);
    let batch = batch.map_err(|error| Error::internal(format!("a summary's columns do not fit: {error}")))?;
    Ok(ResultStream::rows(fields, schema, std::iter::once(Ok(batch))))
}

/// A value that can be reckoned with: an integer in its type's units, or a double.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn double(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// As ORDER BY has them: NaN is greater than all others.
    fn compare(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Whole(a), Number::Whole(b)) => a.cmp(b),
            (a, b) => {
                let (a, b) = (a.double(), b.double());
                a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
            }
        }
    }
}

/// What is known of a column until now.
#[derive(Clone, Debug)]
struct Summary {
    data_type: DataType,
    rows: u64,
    nulls: u64,
    /// Of numbers, days and times.
    numbers: Option<(Number, Number)>,
    /// Of what is ordered by its bytes.
    texts: Option<(Vec<u8>, Vec<u8>)>,
    /// Of the rest.
    others: Option<(Value, Value)>,
    few: FxHashSet<u64>,
    sketch: Sketch,
    sums: Sums,
    sample: Sample,
}

/// Sums from which mean and deviation come.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u64,
    /// Of integers, exactly, as long as it has room.
    whole: Option<i128>,
    mean: f64,
    /// Of the squares of what lies between values and their mean.
    squares: f64,
}

/// Some of the values, chosen by their numbers.
#[derive(Clone, Debug, Default)]
struct Sample {
    seen: u64,
    /// How many times half of them have been left out.
    halved: u32,
    kept: Vec<(u64, Number)>,
}

impl Sample {
    #[inline]
    fn add(&mut self, value: Number) {
        let chance = mix(self.seen);
        self.seen += 1;
        if chance.leading_zeros() < self.halved {
            return;
        }
        if self.kept.len() == SAMPLE_VALUES {
            self.halved += 1;
            self.kept.retain(|(chance, _)| chance.leading_zeros() >= self.halved);
            if chance.leading_zeros() < self.halved {
                return;
            }
        }
        self.kept.push((chance, value));
    }
}

impl Sums {
    /// Adds values (Chan, Golub and LeVeque's update, 1979).
    fn add(&mut self, values: &[f64], whole: Option<i128>) {
        if values.is_empty() {
            return;
        }
        let (count, before) = (values.len() as f64, self.count as f64);
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        let apart = mean - self.mean;
        let first = self.count == 0;
        self.whole = if first { whole } else { self.whole.zip(whole).and_then(|(a, b)| a.checked_add(b)) };
        self.count += values.len() as u64;
        self.mean = if first { mean } else { self.mean + apart * count / (before + count) };
        self.squares += if first { squares } else { squares + apart * apart * before * count / (before + count) };
    }

    fn mean(&self) -> f64 {
        self.whole.map_or(self.mean, |sum| sum as f64 / self.count as f64)
    }
}

impl Summary {
    fn new(data_type: DataType) -> Summary {
        Summary {
            data_type,
            rows: 0,
            nulls: 0,
            numbers: None,
            texts: None,
            others: None,
            few: FxHashSet::default(),
            sketch: Sketch::default(),
            sums: Sums::default(),
            sample: Sample::default(),
        }
    }

    /// Bytes held, about.
    fn bytes(&self) -> usize {
        let texts = self.texts.as_ref().map_or(0, |(least, greatest)| least.capacity() + greatest.capacity());
        let few = self.few.capacity() * 2 * size_of::<u64>();
        self.sample.kept.capacity() * size_of::<(u64, Number)>() + few + texts + SKETCH_BYTES
    }

    /// Whether its values are numbers, and whether they are days or times.
    fn kind(&self) -> (bool, bool) {
        use DataType::*;
        let is_number =
            matches!(self.data_type, SmallInt | Integer | BigInt | Real | Double | Decimal { .. } | Numeric);
        (is_number, matches!(self.data_type, Date | Time | Timestamp | TimestampTz))
    }

    fn see(&mut self, column: &Column) {
        let (is_number, is_moment) = self.kind();
        let mut values: Vec<f64> = Vec::with_capacity(if is_number || is_moment { column.rows() } else { 0 });
        let mut whole = Some(0i128);
        self.rows += column.rows() as u64;
        if self.data_type.is_vector() {
            // They have neither an order nor an equality.
            self.nulls += column.nulls.as_ref().map_or(0, |nulls| nulls.null_count() as u64);
            return;
        }
        for row in 0..column.rows() {
            if column.is_null(row) {
                self.nulls += 1;
                continue;
            }
            let hash = hash_of(column, row);
            if self.few.len() <= FEW_VALUES {
                self.few.insert(hash);
            }
            self.sketch.add(hash);
            let number = if matches!(self.data_type, DataType::Interval | DataType::Numeric) {
                self.see_other(column.value(row, self.data_type))
            } else {
                let number = number_of(column, row);
                match number {
                    Some(number) => self.see_number(number),
                    None => self.see_text(column.data.text_bytes(row)),
                }
                number
            };
            if let (true, Some(number)) = (is_number || is_moment, number) {
                values.push(number.double());
                whole = match number {
                    Number::Whole(value) => whole.and_then(|sum| sum.checked_add(value)),
                    Number::Float(_) => None,
                };
                self.sample.add(number);
            }
        }
        self.sums.add(&values, whole);
    }

    #[inline]
    fn see_number(&mut self, number: Number) {
        match &mut self.numbers {
            None => self.numbers = Some((number, number)),
            Some((least, _)) if number.compare(least).is_lt() => *least = number,
            Some((_, greatest)) if number.compare(greatest).is_gt() => *greatest = number,
            Some(_) => {}
        }
    }

    /// Adds a value that has an order of its own; gives what it is as a number, if it is one.
    fn see_other(&mut self, value: Value) -> Option<Number> {
        let number = match cast(&value, self.data_type, DataType::Double) {
            Ok(Value::Float(value)) => Some(Number::Float(value)),
            _ => None,
        };
        match &mut self.others {
            None => self.others = Some((value.clone(), value)),
            Some((least, _)) if value.compare(least).is_lt() => *least = value,
            Some((_, greatest)) if value.compare(greatest).is_gt() => *greatest = value,
            Some(_) => {}
        }
        number
    }

    fn see_text(&mut self, text: &[u8]) {
        match &mut self.texts {
            None => self.texts = Some((text.to_vec(), text.to_vec())),
            Some((least, _)) if text < &least[..] => {
                least.clear();
                least.extend_from_slice(text);
            }
            Some((_, greatest)) if text > &greatest[..] => {
                greatest.clear();
                greatest.extend_from_slice(text);
            }
            Some(_) => {}
        }
    }

    /// The row of a column, which is shown as a field's.
    fn row(&self, field: &Field, data_type: DataType, sight: &Sight) -> Vec<Value> {
        let shown = |value: &Value| Value::text(sight.text_of(value, data_type));
        let of_bytes = |bytes: &[u8]| shown(&Value::text(String::from_utf8_lossy(bytes)));
        let of_number = |number: Number| match value_of(number, data_type) {
            Value::Float(value) if data_type == DataType::Numeric => double(value),
            value => shown(&value),
        };
        let (min, max) = match (&self.texts, self.numbers, &self.others) {
            (Some((min, max)), ..) => (of_bytes(min), of_bytes(max)),
            (_, Some((min, max)), _) => (of_number(min), of_number(max)),
            (.., Some((min, max))) => (shown(min), shown(max)),
            (None, None, None) => (Value::Null, Value::Null),
        };
        let values = self.rows - self.nulls;
        let unique =
            if self.few.len() <= FEW_VALUES { self.few.len() as u64 } else { self.sketch.estimate().min(values) };
        let mut sample: Vec<Number> = self.sample.kept.iter().map(|(_, value)| *value).collect();
        sample.sort_by(Number::compare);
        let quantile = |part: f64| quantile(&sample, part).map_or(Value::Null, of_number);
        let percentage = (self.nulls * 20_000 + self.rows).checked_div(self.rows * 2);
        vec![
            Value::text(&*field.name),
            Value::text(field.data_type.to_string()),
            min,
            max,
            if self.data_type.is_vector() { Value::Null } else { Value::Int(unique as i64) },
            self.average(data_type, sight),
            self.deviation(data_type),
            quantile(0.25),
            quantile(0.5),
            quantile(0.75),
            Value::Int(self.rows as i64),
            percentage.map_or(Value::Null, |part| Value::Decimal(part.into())),
        ]
    }

    /// The mean: of numbers as a double, of days as an instant.
    fn average(&self, data_type: DataType, sight: &Sight) -> Value {
        let mean = self.sums.mean();
        let moment = |micros: f64, data_type| Value::text(sight.text_of(&Value::Int(micros.round() as i64), data_type));
        match (self.sums.count, self.kind(), data_type) {
            (0, ..) | (_, (false, false), _) => Value::Null,
            (_, (true, _), _) => double(mean / scale_of(data_type)),
            (.., DataType::Date) => moment(mean * DAY as f64, DataType::Timestamp),
            _ => moment(mean, data_type),
        }
    }

    fn deviation(&self, data_type: DataType) -> Value {
        if self.sums.count < 2 || !self.kind().0 {
            return Value::Null;
        }
        double((self.sums.squares / (self.sums.count - 1) as f64).sqrt() / scale_of(data_type))
    }
}

fn double(value: f64) -> Value {
    Value::text(format(&Value::Float(value), DataType::Double))
}

/// Units of a type that make one.
fn scale_of(data_type: DataType) -> f64 {
    if let DataType::Decimal { scale, .. } = data_type { 10f64.powi(scale.into()) } else { 1.0 }
}

/// The value that is a number.
fn value_of(number: Number, data_type: DataType) -> Value {
    match (number, data_type) {
        (Number::Float(value), _) => Value::Float(value),
        (Number::Whole(value), DataType::Boolean) => Value::Boolean(value != 0),
        (Number::Whole(value), data_type) if data_type.is_decimal() => Value::Decimal(value),
        (Number::Whole(value), _) => Value::Int(value as i64),
    }
}

/// The value below which a part of sorted values lies, between two of them where it falls there; integers are rounded down.
fn quantile(sorted: &[Number], part: f64) -> Option<Number> {
    let last = sorted.len().checked_sub(1)?;
    let place = (part * sorted.len() as f64 - 0.5).clamp(0.0, last as f64);
    let (at, beyond) = (place as usize, place.fract());
    Some(match (sorted[at], sorted[last.min(at + 1)]) {
        (value, _) if beyond == 0.0 => value,
        (Number::Whole(a), Number::Whole(b)) => Number::Whole(a + ((b - a) as f64 * beyond).floor() as i128),
        (a, b) => Number::Float(a.double() + (b.double() - a.double()) * beyond),
    })
}

/// A value as a number, if its type is ordered as numbers are.
#[inline]
fn number_of(column: &Column, row: usize) -> Option<Number> {
    match &column.data {
        ColumnData::Float64(values) => Some(Number::Float(values[row])),
        ColumnData::Float32(values) => Some(Number::Float(values[row].into())),
        ColumnData::Boolean(values) => Some(Number::Whole(values.value(row).into())),
        _ => column.integer(row).map(Number::Whole),
    }
}
