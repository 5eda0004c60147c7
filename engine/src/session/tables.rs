//! Tables that a program brings along: record batches, and files that are loaded.

use super::Session;
use crate::catalog::StoredTable;
use crate::format::{self, CsvOptions, Format};
use crate::provider::{Provided, TableProvider};
use crate::{Error, ErrorKind, Field, Result};
use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use multiloop_exec::column::Table;
use multiloop_exec::column::arrow::{fields_of, fields_of_batches};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_planner::catalog::TableName;
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// Makes record batches a table, replacing a table of that name. Their arrays are shared, not copied, unless
    /// the engine was built to compact. All batches must have one schema. Lists of a fixed size of floats are vectors; with NULL
    /// elements they are arrays.
    pub fn register(&self, name: &str, batches: Vec<RecordBatch>) -> Result<()> {
        let schema = batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        let table = self.as_statement(|| {
            if self.engine.0.compact {
                let fields = fields_of_batches(&schema, &batches)?;
                self.compact(name, fields, batches.into_iter().map(Ok))
            } else {
                Ok(StoredTable::new(name, Table::register(&schema, batches, &self.loading())?, Arc::default()))
            }
        })?;
        self.put_table(name, table)
    }

    /// Loads record batches into a compact table, replacing a table of that name; each batch is dropped as soon as
    /// its rows are in.
    ///
    /// # Errors
    /// Those of the batches, and of columns that are none of the schema's. 22004 where a list of a fixed size of floats has NULL
    /// elements: such a column is one of vectors, since the batches are not known beforehand. [`Session::register`] looks at all
    /// of them; a schema whose field is a list of no fixed size makes it a column of arrays here.
    pub fn load(
        &self,
        name: &str,
        schema: &Schema,
        batches: impl IntoIterator<Item = Result<RecordBatch>>,
    ) -> Result<()> {
        let table = self.as_statement(|| self.compact(name, fields_of(schema)?, batches))?;
        self.put_table(name, table)
    }

    /// Loads a Parquet, CSV or Arrow file (or all that a pattern like `part-*.parquet` fits) as a table, replacing a
    /// table of that name. Columns of CSV files are inferred.
    pub fn read(&self, name: &str, path: impl AsRef<Path>, format: &Format) -> Result<()> {
        let path = path.as_ref();
        let path = path.to_str().ok_or_else(|| Error::new(ErrorKind::FileNotFound, "the path is not UTF-8"))?;
        let table = self.as_statement(|| {
            let table = format::read_table(path, format, None, &self.loading())?;
            self.engine.0.stored(name, table, Arc::default(), &self.work, &self.loading())
        })?;
        self.put_table(name, table)
    }

    /// Loads Parquet as a table; see [`Session::read`].
    pub fn read_parquet(&self, name: &str, path: impl AsRef<Path>) -> Result<()> {
        self.read(name, path, &Format::Parquet)
    }

    /// Loads CSV with a header line as a table; see [`Session::read`].
    pub fn read_csv(&self, name: &str, path: impl AsRef<Path>) -> Result<()> {
        self.read(name, path, &Format::Csv(CsvOptions::default()))
    }

    /// Makes a store of the user's own a table, replacing a table of that name. It is read by each statement anew; see
    /// [`TableProvider`]. The name may say a schema (`ours.cities`).
    ///
    /// # Errors
    /// 42701 where two of its columns have one name; 0A000 for types of texts with a length; those of making a table; what the provider's panics say.
    pub fn register_table(&self, name: &str, provider: impl TableProvider) -> Result<()> {
        let table = self.as_statement(|| {
            let called = name.rsplit('.').next().unwrap_or(name);
            Ok(StoredTable::of_provider(called, Provided::new(called, Arc::new(provider))?))
        })?;
        let (schema, name) =
            name.rsplit_once('.').map_or((None, name), |(schema, name)| (Some(schema.to_owned()), name));
        let name = TableName { schema, name: name.to_owned() };
        self.as_statement(|| self.engine.0.put_table(&self.work, &name, table, &self.loading()))
    }

    fn put_table(&self, name: &str, table: StoredTable) -> Result<()> {
        self.as_statement(|| self.engine.0.put_table(&self.work, &TableName::from(name), table, &self.loading()))
    }

    fn compact(
        &self,
        name: &str,
        fields: Vec<Field>,
        batches: impl IntoIterator<Item = Result<RecordBatch>>,
    ) -> Result<StoredTable> {
        let mut builder = TableBuilder::new(fields, Storage::Compact, &self.loading());
        batches.into_iter().try_for_each(|batch| builder.push(batch?))?;
        self.engine.0.stored(name, builder.finish()?, Arc::default(), &self.work, &self.loading())
    }
}
