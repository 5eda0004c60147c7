//! A table of one's own: a store of measurements by day, of which a query reads the days and columns that it wants.
//!
//! The store keeps a vector a day. Its provider makes a part of each day, so that the workers read several at once, says what days a
//! part has, so that others are not read at all, makes arrays only of columns that are asked for, and says by the way what the planner
//! orders joins by.

use multiloop::arrow::array::{ArrayRef, Date32Array, Float64Array, RecordBatch, RecordBatchOptions, StringArray};
use multiloop::arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema};
use multiloop::{
    ColumnEstimate, ColumnRange, DataType, Engine, Field, ProviderError, RowCount, Scan, TableEstimates, TablePart,
    TableProvider, Value,
};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// What a station has measured, if it has.
type Measured = (String, Option<f64>);

/// Measurements by day, the number of days since 1970. Clones share them; days are never changed, but come.
#[derive(Clone, Debug, Default)]
struct Store(Arc<RwLock<BTreeMap<i32, Arc<Vec<Measured>>>>>);

impl Store {
    fn add(&self, day: i32, measured: Vec<Measured>) {
        self.0.write().expect("nobody panics here").insert(day, Arc::new(measured));
    }
}

impl TableProvider for Store {
    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("day", DataType::Date, false),
            Field::new("station", DataType::Text, false),
            Field::new("degrees", DataType::Double, true),
        ]
    }

    fn estimates(&self) -> TableEstimates {
        let Ok(days) = self.0.read() else { return TableEstimates::default() };
        let day = |day: Option<(&i32, &Arc<Vec<Measured>>)>| day.map(|(day, _)| Value::Int((*day).into()));
        let estimate = ColumnEstimate {
            min: day(days.first_key_value()),
            max: day(days.last_key_value()),
            nulls: Some(0),
            distinct: Some(days.len() as u64),
        };
        let rows = days.values().map(|day| day.len() as u64).sum();
        TableEstimates::of(RowCount::About(rows)).with_column(0, estimate)
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        // The days that there are now: what comes while the parts are read is none of this scan.
        let days = self.0.read().map_err(|_| "somebody has panicked")?.clone();
        let part = |(day, measured): (i32, Arc<Vec<Measured>>)| {
            let columns = scan.columns.clone();
            let batches = std::iter::once_with(move || batch(day, &measured, &columns));
            let value = Some(Value::Int(day.into()));
            TablePart::new(batches).with_range(0, ColumnRange { min: value.clone(), max: value, nulls: Some(0) })
        };
        Ok(days.into_iter().map(part).collect())
    }
}

/// A day as a batch of some columns.
fn batch(day: i32, measured: &[Measured], columns: &[usize]) -> Result<RecordBatch, ProviderError> {
    let column = |&column: &usize| -> (ArrowField, ArrayRef) {
        match column {
            0 => {
                let days = Date32Array::from_iter_values(measured.iter().map(|_| day));
                (ArrowField::new("day", Arrow::Date32, false), Arc::new(days))
            }
            1 => {
                let stations = StringArray::from_iter_values(measured.iter().map(|(station, _)| station));
                (ArrowField::new("station", Arrow::Utf8, false), Arc::new(stations))
            }
            _ => {
                let degrees: Float64Array = measured.iter().map(|(_, degrees)| *degrees).collect();
                (ArrowField::new("degrees", Arrow::Float64, true), Arc::new(degrees))
            }
        }
    };
    let (fields, arrays): (Vec<ArrowField>, Vec<ArrayRef>) = columns.iter().map(column).unzip();
    // A query that only counts rows asks for no column.
    let options = RecordBatchOptions::new().with_row_count(Some(measured.len()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::default();
    for day in 0..365 {
        let measured =
            |station: i32| (format!("station {station}"), (station != 7).then(|| f64::from(day % 30 + station)));
        store.add(20_454 + day, (0..100).map(measured).collect());
    }
    let session = Engine::new()?.session();
    session.register_table("weather", store.clone())?;

    let warm = "SELECT station, avg(degrees) AS warm FROM weather
        WHERE day >= $1 AND degrees IS NOT NULL GROUP BY station ORDER BY warm DESC, station LIMIT 3";
    for row in session.query(warm, ["2026-12-01"])? {
        let row = row?;
        println!("{}: {:.1}", row.get::<String>("station")?, row.get::<f64>("warm")?);
    }

    // The next statement sees what has come.
    store.add(20_454 + 365, vec![("station 3".to_owned(), Some(150.0))]);
    let highest: f64 = session.query_scalar("SELECT max(degrees) FROM weather", ())?;
    println!("{highest}");
    Ok(())
}
