//! Parquet files. A statement that names one reads what it asks for, when it does (`scan`); to load one is to ask for all. Only
//! where columns become others of wider types, row groups are read as Arrow arrays, in waves of about a million rows; within a
//! wave every column of every row group is a task of its own, so that a few wide row groups keep all cores busy and memory stays
//! bounded.

mod buffers;
mod file;
mod footer;
mod index;
mod locate;
mod pages;
mod scan;

use super::identity::Identity;
use super::set::FileSet;
use super::store::is_object;
use super::unite::Union;
use super::{Unreadable, as_uuid, bad_file, drop_unreadable, guarded, is_of_column, readable_fields};
use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema, SchemaRef};
use file::Source;
use multiloop_exec::Result;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{CHUNK_ROWS, ColumnCache, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::types::{DataType, Field};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::LogicalType;
use parquet::file::reader::Length;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Rows that a wave decodes before they are compacted, per eight threads: 16 chunks.
const WAVE_ROWS: usize = 16 * CHUNK_ROWS;

/// A file and what its footer says.
#[derive(Debug)]
struct Opened {
    path: PathBuf,
    identity: Option<Identity>,
    /// Whether it costs nothing to look at its rows: of an object these have come with the footer.
    is_near: bool,
    metadata: ArrowReaderMetadata,
    /// The columns that can be read, and where they are in the file.
    fields: Vec<Field>,
    places: Vec<usize>,
    unreadable: Vec<Unreadable>,
}

/// Opens all files of a set. The ends of those that are far are on their way at once.
fn open_all(set: &FileSet) -> Result<Vec<Opened>> {
    if set.len() > 1 {
        for path in set.iter().filter(|path| is_object(path)) {
            Source::open(path)?.0.expect_end();
        }
    }
    let mut files = set.iter().map(|path| open(path)).collect::<Result<Vec<Opened>>>()?;
    let unreadable: Vec<Unreadable> = files.iter().flat_map(|file| file.unreadable.clone()).collect();
    drop_unreadable(files.iter_mut().map(|file| (&mut file.fields, &mut file.places)), &unreadable);
    Ok(files)
}

fn open(path: &Path) -> Result<Opened> {
    let (source, identity) = Source::open(path)?;
    let metadata = guarded(path, || {
        ArrowReaderMetadata::load(&source, ArrowReaderOptions::new()).map_err(|error| bad_file(path, error))
    })?;
    check_extents(path, source.len(), &metadata)?;
    let (mut fields, places, unreadable) = readable_fields(&marked(&metadata));
    fields.iter_mut().zip(&places).for_each(|(field, &place)| field.data_type = with_nulls(&metadata, place, field));
    let is_near = source.is_near();
    Ok(Opened { path: path.to_owned(), identity, is_near, metadata, fields, places, unreadable })
}

/// The type of a column, by its root: an array for vectors that have NULL elements, as far as the footer tells.
fn with_nulls(metadata: &ArrowReaderMetadata, root: usize, field: &Field) -> DataType {
    let Some((of, length)) = field.data_type.vector_of() else { return field.data_type };
    let may_be_null =
        matches!(metadata.schema().field(root).data_type(), Arrow::FixedSizeList(item, _) if item.is_nullable());
    let schema = metadata.parquet_schema();
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root);
    let groups = metadata.metadata().row_groups();
    match leaf {
        Some(leaf) if may_be_null && footer::has_null_elements(groups, leaf, length.into()) => DataType::list(of),
        _ => field.data_type,
    }
}

/// The schema of a file, in which uuids are marked: who wrote no Arrow schema beside the file's own says so in that alone.
fn marked(metadata: &ArrowReaderMetadata) -> Schema {
    let own = metadata.parquet_schema().root_schema().get_fields();
    let mark = |(at, field): (usize, &Arc<ArrowField>)| match own.get(at).map(|own| own.get_basic_info()) {
        Some(of) if of.logical_type_ref() == Some(&LogicalType::Uuid) => Arc::new(as_uuid(field)),
        _ => Arc::clone(field),
    };
    Schema::new(metadata.schema().fields().iter().enumerate().map(mark).collect::<Vec<_>>())
}

/// Whether the footer places every column chunk within the file: the decoder allocates what the footer says before it
/// reads, and a damaged length must not ask for more memory than there is.
fn check_extents(path: &Path, length: u64, metadata: &ArrowReaderMetadata) -> Result<()> {
    let columns = metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
    for column in columns {
        let (start, bytes) = guarded(path, || Ok(column.byte_range()))?;
        if start.checked_add(bytes).is_none_or(|end| end > length) {
            return Err(bad_file(path, "a column chunk ends behind the end of the file"));
        }
    }
    Ok(())
}

/// The columns of files.
pub(super) fn read_fields(set: &FileSet) -> Result<Vec<Field>> {
    let files = open_all(set)?;
    Ok(union_of(&files, set)?.fields)
}

fn union_of(files: &[Opened], set: &FileSet) -> Result<Union> {
    let mut union = Union::default();
    for file in files {
        union.add_typed(&file.path, file.fields.clone())?;
    }
    union.add_constants(set)?;
    Ok(union)
}

/// Rows of a table that is worth a look at all of them when it is named: then all is known that can be of their values.
const SMALL_ROWS: usize = 1 << 13;

/// Files as one table: columns of one name are one column. Those that cannot be read are left out. The rows of large ones stay
/// where they are until loops ask for them.
pub(super) fn open_readable(
    set: &FileSet,
    (cache, context): (&Arc<ColumnCache>, &Context),
) -> Result<(Table, Vec<Unreadable>)> {
    let files = open_all(set)?;
    let is_near = files.iter().all(|file| file.is_near);
    let (table, unreadable) = scan::scan(files, set, Some(cache))?;
    if table.rows() > SMALL_ROWS || !is_near {
        return Ok((table, unreadable));
    }
    match table.load(table.fields.clone(), context) {
        Ok(loaded) => Ok((loaded, unreadable)),
        // A column that nobody may ask for: who does is told.
        Err(error) if is_of_column(&error) => Ok((table, unreadable)),
        Err(error) => Err(error),
    }
}

/// Reads files as one table, all of it.
pub(super) fn read_readable(
    set: &FileSet,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<(Table, Vec<Unreadable>)> {
    let files = open_all(set)?;
    let own = union_of(&files, set)?.fields;
    let is_own = |fields: &[Field]| fields.iter().map(|field| field.data_type).eq(own.iter().map(|own| own.data_type));
    if fields.is_none_or(is_own) {
        let (table, unreadable) = scan::scan(files, set, None)?;
        let fields = fields.map_or_else(|| table.fields.clone(), <[Field]>::to_vec);
        return Ok((table.load(fields, context)?, unreadable));
    }
    read_as(&files, set, fields, context)
}

/// Reads files as columns of other types than they have, if these hold their values.
fn read_as(
    files: &[Opened],
    set: &FileSet,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<(Table, Vec<Unreadable>)> {
    let union = union_of(files, set)?;
    let unreadable: Vec<Unreadable> = files.iter().flat_map(|file| file.unreadable.clone()).collect();
    let total: i64 = files.iter().map(|file| file.metadata.metadata().file_metadata().num_rows()).sum();
    context.progress.total.fetch_add(total.max(0) as u64, Ordering::Relaxed);
    let table_fields = fields.map_or_else(|| union.fields.clone(), <[Field]>::to_vec);
    let mut builder = TableBuilder::new(table_fields, Storage::Compact, context);
    for (file, places) in files.iter().zip(&union.places) {
        let mut push = |batch: RecordBatch| builder.push(union.batch(places, &batch)?);
        for wave in waves(file, wave_rows(context)) {
            read_wave(file, wave, &mut push, context)?;
        }
    }
    Ok((builder.finish()?, unreadable))
}

/// Takes batches in order.
type Push<'a> = &'a mut dyn FnMut(RecordBatch) -> Result<()>;

fn wave_rows(context: &Context) -> usize {
    WAVE_ROWS * context.workers().count().div_ceil(8)
}

/// Consecutive row groups with not too many rows together.
fn waves(file: &Opened, rows_max: usize) -> Vec<Range<usize>> {
    let groups = file.metadata.metadata().row_groups();
    let mut waves: Vec<Range<usize>> = Vec::new();
    let mut rows = 0;
    for (index, group) in groups.iter().enumerate() {
        let more = usize::try_from(group.num_rows()).unwrap_or(0);
        match waves.last_mut() {
            Some(wave) if rows + more <= rows_max => {
                wave.end = index + 1;
                rows += more;
            }
            _ => {
                waves.push(index..index + 1);
                rows = more;
            }
        }
    }
    waves
}

/// One column of one row group, being read.
struct ColumnReader {
    reader: ParquetRecordBatchReader,
    arrays: Vec<ArrayRef>,
}

/// Reads row groups column by column in parallel and pushes their batches in order. A row group larger than a wave is
/// read in several steps.
fn read_wave(file: &Opened, groups: Range<usize>, push: Push<'_>, context: &Context) -> Result<()> {
    let columns = file.fields.len();
    if columns == 0 {
        return Ok(());
    }
    let schema = file.metadata.schema().project(&file.places).map_err(|error| bad_file(&file.path, error))?;
    let schema = Arc::new(schema);
    let tasks: Vec<(usize, usize)> = groups.flat_map(|group| (0..columns).map(move |column| (group, column))).collect();
    let reader = |(group, column): (usize, usize)| guarded(&file.path, || column_reader(file, group, column));
    let workers = context.workers();
    let mut readers = workers.map(tasks, reader)?;
    loop {
        let step = |reader: &mut ColumnReader| guarded(&file.path, || reader.step(file, context));
        workers.map(readers.iter_mut().collect(), step)?;
        let mut rows = 0;
        for group in readers.chunks_mut(columns) {
            rows += push_group(file, &schema, group, push)?;
        }
        context.progress.done.fetch_add(rows as u64, Ordering::Relaxed);
        if rows == 0 {
            return Ok(());
        }
    }
}

fn column_reader(file: &Opened, group: usize, column: usize) -> Result<ColumnReader> {
    let root = file.places[column];
    let source = Source::open(&file.path)?.0.expect(root_range(file, group, root));
    let mask = ProjectionMask::roots(file.metadata.parquet_schema(), [root]);
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(source, file.metadata.clone())
        .with_row_groups(vec![group])
        .with_projection(mask)
        .with_batch_size(CHUNK_ROWS)
        .build()
        .map_err(|error| bad_file(&file.path, error))?;
    Ok(ColumnReader { reader, arrays: Vec::new() })
}

/// Where the leaves of a column lie in a row group.
fn root_range(file: &Opened, group: usize, root: usize) -> Range<u64> {
    let schema = file.metadata.parquet_schema();
    let group = file.metadata.metadata().row_group(group);
    let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root);
    // That they lie within the file, and their ranges are none that wrap, has been looked at when it was opened.
    let ranges = leaves.map(|leaf| group.column(leaf).byte_range()).map(|(start, bytes)| start..start + bytes);
    ranges.reduce(|all, one| all.start.min(one.start)..all.end.max(one.end)).unwrap_or(0..0)
}

impl ColumnReader {
    fn step(&mut self, file: &Opened, context: &Context) -> Result<()> {
        // A row group that shares its wave fits one step, so rows stay in order.
        for _ in 0..wave_rows(context) / CHUNK_ROWS {
            context.check()?;
            match self.reader.next() {
                Some(batch) => self.arrays.push(batch.map_err(|error| bad_file(&file.path, error))?.column(0).clone()),
                None => break,
            }
        }
        Ok(())
    }
}

/// Pushes what the columns of a row group have read; returns the number of rows.
fn push_group(file: &Opened, schema: &SchemaRef, columns: &mut [ColumnReader], push: Push<'_>) -> Result<usize> {
    let mut arrays: Vec<_> = columns.iter_mut().map(|column| std::mem::take(&mut column.arrays).into_iter()).collect();
    let mut rows = 0;
    loop {
        let next: Vec<Option<ArrayRef>> = arrays.iter_mut().map(Iterator::next).collect();
        if next.iter().all(Option::is_none) {
            return Ok(rows);
        }
        let uneven = || bad_file(&file.path, "the columns of a row group differ in length");
        let next = next.into_iter().collect::<Option<Vec<ArrayRef>>>().ok_or_else(uneven)?;
        let options = RecordBatchOptions::new().with_row_count(next.first().map(|array| array.len()));
        let batch = RecordBatch::try_new_with_options(Arc::clone(schema), next, &options);
        let batch = batch.map_err(|_| uneven())?;
        rows += batch.num_rows();
        push(batch)?;
    }
}

/// The rows that a path or pattern names, read as Arrow arrays.
#[cfg(test)]
pub(super) fn arrays_for_test(path: &str, context: &Context) -> Result<Table> {
    let set = FileSet::named(&[path.to_owned()])?;
    let opened = open_all(&set)?;
    Ok(read_as(&opened, &set, None, context)?.0)
}

/// The rows that a path or pattern names, however few there are, as rows that stay there.
#[cfg(test)]
pub(super) fn scan_for_test(path: &str) -> Result<Table> {
    let set = FileSet::named(&[path.to_owned()])?;
    let opened = open_all(&set)?;
    Ok(scan::scan(opened, &set, None)?.0)
}
