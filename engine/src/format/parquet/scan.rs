//! Row groups as lazy chunks: a column is read when a loop asks for it, by the worker that asks.
//!
//! Pages of flat columns are taken apart by the Parquet crate and decoded by `multiloop_exec::cpu::pages`; what these do not
//! know (other encodings, INT96, what another type carries) goes through Arrow arrays.

use super::super::set::{Constants, FileSet};
use super::super::unite::Union;
use super::super::{Unreadable, bad_file, guarded};
use super::file::Source;
use super::footer::{self, GroupRange};
use super::index::{self, PageIndex};
use super::locate;
use super::pages::Pages;
use super::{Opened, root_range, union_of};
use crate::{Error, ErrorKind, Result};
use arrow::array::ArrayRef;
use arrow::buffer::Buffer;
use arrow::compute::{cast, concat};
use arrow::error::ArrowError;
use multiloop_exec::column::arrow::{first_wrong_row, schema_of, to_column_of};
use multiloop_exec::column::{Chunk, Column, ColumnCache, ColumnReader, Dictionary, Span, Table};
use multiloop_exec::cpu::pages::{self, Encoding, Kind, PageColumn, PageError, PageRows};
use multiloop_planner::catalog::TableStatistics;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};
use parquet::basic::Encoding as Stored;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::Page;
use parquet::errors::ParquetError;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A column whose row groups have dictionaries of so many strings may have one of all of them.
const OWN_STRINGS_MAX: usize = 1 << 12;

/// Files of which a dictionary of all is made though no loop has asked for it: conditions are asked once a string then.
const FEW_FILES: usize = 8;

/// Strings of a dictionary of all row groups, at most.
const SHARED_STRINGS_MAX: usize = 1 << 16;

/// Bytes of a column in a row group of which all pages are looked at to find out how they are encoded.
const LOOKED_AT_BYTES: i64 = 1 << 20;

/// Files that are read as one table.
#[derive(Debug)]
struct Files {
    files: Vec<ScannedFile>,
    fields: Vec<Field>,
    /// By field: what the paths of the files say, whatever is in them.
    constants: Vec<Option<Constants>>,
    /// By field: the strings of all row groups, once somebody has asked.
    dictionaries: Vec<OnceLock<Option<Arc<Dictionary>>>>,
}

#[derive(Debug)]
struct ScannedFile {
    opened: Opened,
    /// For each field of the table the file's column.
    columns: Vec<Option<FileColumn>>,
}

/// A column of a file.
#[derive(Clone, Copy, Debug)]
struct FileColumn {
    /// Its place among the file's readable columns.
    place: usize,
    /// Its number among the leaves, and how its values lie there, if pages are read straight into columns.
    direct: Option<(usize, Kind)>,
}

/// One row group.
#[derive(Debug)]
struct RowGroup {
    files: Arc<Files>,
    file: usize,
    group: usize,
    rows: usize,
    /// By field.
    nulls: Vec<Option<usize>>,
    /// By field: the dictionary page, while a row group that is read in pieces is not at its end.
    dictionaries: Vec<Mutex<Option<Arc<pages::Dictionary>>>>,
    /// By field, once somebody has asked.
    indexes: Vec<OnceLock<Option<PageIndex>>>,
}

/// Files as a table whose rows stay there until loops ask for them, and the columns that cannot be read.
pub(super) fn scan(
    opened: Vec<Opened>,
    set: &FileSet,
    cache: Option<&Arc<ColumnCache>>,
) -> Result<(Table, Vec<Unreadable>)> {
    let union: Union = union_of(&opened, set)?;
    let unreadable: Vec<Unreadable> = opened.iter().flat_map(|file| file.unreadable.clone()).collect();
    let fields = union.fields.clone();
    let mut files = Vec::new();
    for (opened, places) in opened.into_iter().zip(&union.places) {
        let columns = (0..fields.len()).map(|at| {
            let place = places.iter().position(|&place| place == at).filter(|_| union.constant(at).is_none())?;
            Some(file_column(&opened, place, &fields[at]))
        });
        files.push(ScannedFile { columns: columns.collect(), opened });
    }
    let dictionaries = fields.iter().map(|_| OnceLock::new()).collect();
    let constants = (0..fields.len()).map(|at| union.constant(at).cloned()).collect();
    let files = Arc::new(Files { files, fields, constants, dictionaries });
    let cached = cache.map(ColumnCache::table);
    let mut chunks = Vec::new();
    let mut all_told: Vec<Vec<(usize, usize, GroupRange, usize)>> = vec![Vec::new(); files.fields.len()];
    for (number, file) in files.files.iter().enumerate() {
        for (group, metadata) in file.opened.metadata.metadata().row_groups().iter().enumerate() {
            let rows = checked_rows(file, group)?;
            let told = |(at, column): (usize, &Option<FileColumn>)| match column {
                None => told_of_none(files.constants[at].as_ref(), number, rows),
                Some(FileColumn { direct: Some((leaf, kind)), .. }) => {
                    footer::told(metadata.column(*leaf), *kind, files.fields[at].data_type, rows)
                }
                Some(_) => GroupRange::of_type(files.fields[at].data_type),
            };
            let told: Vec<GroupRange> = file.columns.iter().enumerate().map(told).collect();
            let reader = RowGroup {
                files: Arc::clone(&files),
                file: number,
                group,
                rows,
                nulls: told.iter().map(|told| told.nulls).collect(),
                dictionaries: told.iter().map(|_| Mutex::new(None)).collect(),
                indexes: told.iter().map(|_| OnceLock::new()).collect(),
            };
            let ranges = told.iter().map(|told| told.range).collect();
            let cached = cached.as_ref().map(|table| (table, chunks.len() as u32));
            chunks.push(Arc::new(Chunk::lazy(rows, ranges, Arc::new(reader), cached)));
            all_told.iter_mut().zip(told).for_each(|(all, told)| all.push((number, group, told, rows)));
        }
    }
    let column = |at: usize| {
        let groups = all_told[at].iter().map(|(file, group, told, rows)| {
            let file = &files.files[*file];
            let leaf = file.columns[at].and_then(|column| Some(column.direct?.0));
            let metadata = file.opened.metadata.metadata().row_group(*group);
            (leaf.map(|leaf| metadata.column(leaf)), told.clone(), *rows)
        });
        let mut statistics = footer::statistics(&files.fields[at], &groups.collect::<Vec<_>>());
        if let Some(constants) = &files.constants[at] {
            statistics.estimates.distinct = Some(constants.distinct());
        }
        statistics
    };
    let columns = (0..files.fields.len()).map(column).collect();
    let rows = chunks.iter().map(|chunk| chunk.rows as u64).sum();
    let statistics = Arc::new(TableStatistics { rows, columns, ..TableStatistics::default() });
    Ok((Table { fields: files.fields.clone(), chunks: chunks.into(), statistics }, unreadable))
}

/// What is known of a column that a file has not: it is NULL, or has one value.
fn told_of_none(constants: Option<&Constants>, file: usize, rows: usize) -> GroupRange {
    let Some(constants) = constants else { return GroupRange { nulls: Some(rows), ..GroupRange::default() } };
    let (nulls, range) = constants.known(file, rows);
    let bounds = range.filter(|_| constants.dictionary().is_none());
    GroupRange { bounds, range, nulls: Some(nulls) }
}

/// How many rows a row group has; an error if that is no number of rows, or a flat column has other than one value a row.
fn checked_rows(file: &ScannedFile, group: usize) -> Result<usize> {
    let metadata = file.opened.metadata.metadata().row_group(group);
    let rows = usize::try_from(metadata.num_rows())
        .map_err(|_| bad_file(&file.opened.path, "a row group has a negative number of rows"))?;
    if u32::try_from(rows).is_err() {
        let path = file.opened.path.display();
        return Err(Error::unsupported(format!("file {path}: a row group of more than 4 billion rows is")));
    }
    let leaves = file.columns.iter().filter_map(|column| Some(column.as_ref()?.direct?.0));
    for leaf in leaves {
        if usize::try_from(metadata.column(leaf).num_values()) != Ok(rows) {
            let reason = format!("column {} of row group {} has not one value a row", leaf + 1, group + 1);
            return Err(bad_file(&file.opened.path, reason));
        }
    }
    Ok(rows)
}

/// How a column of a file becomes a field of the table.
fn file_column(opened: &Opened, place: usize, field: &Field) -> FileColumn {
    let root = opened.places[place];
    let schema = opened.metadata.parquet_schema();
    let mut leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root);
    let direct = match (leaves.next(), leaves.next()) {
        (Some(leaf), None) if opened.fields[place].data_type == field.data_type => {
            let arrow = opened.metadata.schema().field(root).data_type();
            footer::kind_of(&schema.column(leaf), arrow, field).map(|kind| (leaf, kind))
        }
        _ => None,
    };
    FileColumn { place, direct }
}

impl ColumnReader for RowGroup {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        self.read_column(column, rows, false)
    }

    fn read_to_copy(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        self.read_column(column, rows, true)
    }

    fn field(&self, column: usize) -> &Field {
        &self.files.fields[column]
    }

    fn nulls(&self, column: usize) -> Option<usize> {
        self.nulls[column]
    }

    fn spans(&self, column: usize) -> Option<Arc<[Span]>> {
        self.index(column)?.spans.clone()
    }

    fn may_have(&self, column: usize, values: &[i64]) -> bool {
        let Some((_, kind @ (Kind::Int32 { .. } | Kind::Int64 { .. }))) = self.direct(column) else { return true };
        let has = |filter: Sbbf| values.iter().any(|&value| index::may_have(&filter, kind, value));
        self.filter(column).is_none_or(has)
    }

    fn may_have_text(&self, column: usize, texts: &[Box<[u8]>]) -> bool {
        if let Some(constants) = &self.files.constants[column] {
            return constants.is_among(self.file, texts);
        }
        let Some((_, Kind::Text)) = self.direct(column) else { return true };
        self.filter(column).is_none_or(|filter| texts.iter().any(|text| filter.check(&**text)))
    }

    fn dictionary(&self, column: usize) -> Result<Option<Arc<Dictionary>>> {
        if let Some(constants) = &self.files.constants[column] {
            return Ok(constants.dictionary().cloned());
        }
        Ok(self.files.dictionaries[column].get_or_init(|| shared_dictionary(&self.files, column)).clone())
    }

    fn place(&self) -> String {
        let file = &self.files.files[self.file];
        format!("{}, row group {}", file.opened.path.display(), self.group + 1)
    }
}

impl RowGroup {
    /// Some rows of a column. Text may be views of pages where this is said.
    fn read_column(&self, column: usize, rows: Range<usize>, may_show: bool) -> Result<Column> {
        let file = &self.files.files[self.file];
        let field = &self.files.fields[column];
        if let Some(constants) = &self.files.constants[column] {
            return Ok(constants.column(self.file, rows.len()));
        }
        let Some(of) = file.columns[column] else {
            return Ok(Column::from_values(field.data_type, &vec![Value::Null; rows.len()]));
        };
        let (source, _) = Source::open(&file.opened.path)?;
        let outcome = guarded(&file.opened.path, || match of.direct {
            Some(direct) => self.read_pages(&source, (column, may_show), direct, rows.clone()),
            None => self.read_arrays(&source, column, rows.clone()),
        });
        // What is read of a file that has changed may be anything, errors among it.
        source.check(&file.opened.path, &file.opened.identity)?;
        let read = outcome.map_err(|error| match of.direct {
            Some((leaf, kind)) if matches!(error.kind(), ErrorKind::InvalidUtf8 | ErrorKind::DatetimeOverflow) => {
                let place = (self.group, leaf);
                let find = || Ok(locate::first_wrong_row(&file.opened, &source, place, kind, &rows));
                self.at_row(error, field, guarded(&file.opened.path, find).ok().flatten())
            }
            _ => self.at_row(error, field, None),
        })?;
        check_digits(&read, field).map_err(|reason| self.at_row(bad_file(&file.opened.path, reason), field, None))?;
        Ok(read)
    }

    fn path(&self) -> &PathBuf {
        &self.files.files[self.file].opened.path
    }

    /// The leaf of a field, and how its values lie there, if pages of it are read.
    fn direct(&self, column: usize) -> Option<(usize, Kind)> {
        self.files.files[self.file].columns[column]?.direct
    }

    /// The page index of a field, of the file as it was opened.
    fn index(&self, column: usize) -> Option<&PageIndex> {
        let read = || {
            let (leaf, kind) = self.direct(column)?;
            let opened = &self.files.files[self.file].opened;
            let (source, _) = Source::open(&opened.path).ok()?;
            let place = (self.group, leaf, self.rows);
            let index = index::page_index(opened, &source, place, (kind, self.files.fields[column].data_type))?;
            source.check(&opened.path, &opened.identity).ok().map(|()| index)
        };
        self.indexes[column].get_or_init(read).as_ref()
    }

    /// The Bloom filter of a field, likewise; it is large, and not kept.
    fn filter(&self, column: usize) -> Option<Sbbf> {
        let (leaf, _) = self.direct(column)?;
        let opened = &self.files.files[self.file].opened;
        opened.metadata.metadata().row_group(self.group).column(leaf).bloom_filter_offset()?;
        let (source, _) = Source::open(&opened.path).ok()?;
        let filter = index::bloom_filter(opened, &source, (self.group, leaf))?;
        source.check(&opened.path, &opened.identity).ok().map(|()| filter)
    }

    /// An error with the column that it is about, and the row, unless it says so itself.
    fn at_row(&self, error: Error, field: &Field, row: Option<usize>) -> Error {
        if error.detail().is_some() {
            return error;
        }
        let groups = self.files.files[self.file].opened.metadata.metadata().row_groups();
        let before: i64 = groups[..self.group].iter().map(|group| group.num_rows()).sum();
        let row = row.map(|row| format!(", row {} of the file", before + row as i64 + 1)).unwrap_or_default();
        error.with_detail(format!("Column \"{}\" of row group {}{row}.", field.name, self.group + 1))
    }

    /// Rows of a column from its pages, long strings as views of these if they may be.
    fn read_pages(
        &self,
        source: &Source,
        (column, may_show): (usize, bool),
        (leaf, kind): (usize, Kind),
        rows: Range<usize>,
    ) -> Result<Column> {
        let shared = if kind == Kind::Text { self.shared(column) } else { None };
        let path = self.path();
        let of_page = |error: PageError| page_error(path, error);
        let mut dictionary = self.dictionaries[column].lock().unwrap_or_else(PoisonError::into_inner).clone();
        let known = dictionary.is_some();
        let mut gathered = PageColumn::new(kind, rows.len());
        let mut first = 0;
        // Who reads all of them needs not to know where they begin.
        let locations = if rows.len() < self.rows / 2 { self.index(column) } else { None };
        let locations = locations.map(|index| (index.locations.clone(), index.bytes_of(&rows)));
        let mut pages = Pages::new(&self.files.files[self.file].opened, source, (self.group, leaf), locations)?;
        while first < rows.end {
            let Some(next) = pages.peek()? else {
                return Err(bad_file(path, "a column has fewer rows than its row group"));
            };
            if next.is_dict {
                if known {
                    pages.skip()?;
                    continue;
                }
                let page = pages.next()?;
                let made = dictionary_of(page.as_ref(), kind).map_err(of_page)?;
                let coded = shared.as_ref().and_then(|shared| made.coded(shared));
                dictionary = Some(Arc::new(coded.unwrap_or(made)));
                continue;
            }
            let count = next.num_rows.or(next.num_levels).unwrap_or(0);
            if count > self.rows - first {
                return Err(bad_file(path, "a column has more rows than its row group"));
            }
            if first + count <= rows.start {
                pages.skip()?;
                first += count;
                continue;
            }
            let Some(page) = pages.next()? else {
                return Err(bad_file(path, "a page is missing"));
            };
            let nullable =
                self.files.files[self.file].opened.metadata.parquet_schema().column(leaf).max_def_level() > 0;
            let Some(of) = page_rows(&page, nullable).map_err(of_page)? else {
                return as_shared(self.read_arrays(source, column, rows)?, shared.as_ref(), path);
            };
            if of.rows != count {
                return Err(bad_file(path, "the rows of a page are not as many as its header says"));
            }
            let keep = rows.start.max(first) - first..rows.end.min(first + count) - first;
            let buffer = page_buffer(&page).filter(|_| may_show);
            gathered.add_of(of, keep, dictionary.as_deref(), buffer.as_ref()).map_err(of_page)?;
            first += count;
        }
        if rows.len() < self.rows {
            let kept = if rows.end < self.rows { dictionary } else { None };
            *self.dictionaries[column].lock().unwrap_or_else(PoisonError::into_inner) = kept;
        }
        as_shared(gathered.finish(), shared.as_ref(), path)
    }

    /// The dictionary of all row groups, if somebody has asked for it, or there are but few files to look at.
    fn shared(&self, column: usize) -> Option<Arc<Dictionary>> {
        let known = &self.files.dictionaries[column];
        match known.get() {
            None if self.files.files.len() > FEW_FILES => None,
            _ => known.get_or_init(|| shared_dictionary(&self.files, column)).clone(),
        }
    }

    /// Rows of a column from Arrow arrays.
    fn read_arrays(&self, source: &Source, column: usize, rows: Range<usize>) -> Result<Column> {
        let (file, field) = (&self.files.files[self.file], &self.files.fields[column]);
        let opened = &file.opened;
        let Some(of) = file.columns[column] else { return Err(Error::internal("a column that is not there is read")) };
        let failed = |error: ParquetError| bad_file(&opened.path, error);
        let wrong = |error: ArrowError| bad_file(&opened.path, error);
        let mask = ProjectionMask::roots(opened.metadata.parquet_schema(), [opened.places[of.place]]);
        let source = source.expect(root_range(opened, self.group, opened.places[of.place]));
        let selection = [RowSelector::skip(rows.start), RowSelector::select(rows.len())];
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(source, opened.metadata.clone())
            .with_row_groups(vec![self.group])
            .with_projection(mask)
            .with_row_selection(RowSelection::from(selection.to_vec()))
            .with_batch_size(rows.len().max(1))
            .build()
            .map_err(failed)?;
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for batch in reader {
            let batch = batch.map_err(wrong)?;
            arrays.push(Arc::clone(batch.column(0)));
        }
        let array = match &arrays[..] {
            [array] => Arc::clone(array),
            [] => return Ok(Column::from_values(field.data_type, [])),
            _ => concat(&arrays.iter().map(|array| &**array).collect::<Vec<_>>()).map_err(wrong)?,
        };
        let own = &opened.fields[of.place];
        let is_json = field.data_type == DataType::Json && own.data_type.is_of_structs();
        let array = if own.data_type == field.data_type || is_json {
            array
        } else {
            let wanted = schema_of(std::slice::from_ref(field));
            cast(&array, wanted.field(0).data_type()).map_err(wrong)?
        };
        to_column_of(&array, field).map_err(|error| {
            let row = first_wrong_row(&array, field).map(|row| rows.start + row);
            self.at_row(error, field, row)
        })
    }
}

/// The error of a page.
fn page_error(path: &Path, error: PageError) -> Error {
    let path_of = path.display();
    match error {
        PageError::Malformed(reason) => bad_file(path, reason),
        PageError::Utf8 => Error::new(ErrorKind::InvalidUtf8, format!("malformed file {path_of}: invalid UTF-8")),
        PageError::Zero => {
            let message = format!("file {path_of}: invalid byte sequence for encoding \"UTF8\": 0x00");
            Error::new(ErrorKind::InvalidUtf8, message)
        }
        PageError::Range(reason) => Error::new(ErrorKind::DatetimeOverflow, format!("file {path_of}: {reason}")),
        PageError::TooLarge => Error::unsupported(format!("file {path_of}: more than 2 GiB of text in a row group is")),
    }
}

/// A dictionary page's values.
fn dictionary_of(page: Option<&Page>, kind: Kind) -> std::result::Result<pages::Dictionary, PageError> {
    match page {
        Some(Page::DictionaryPage { buf, num_values, .. }) => pages::Dictionary::new(kind, buf, *num_values as usize),
        _ => Err(PageError::Malformed("a dictionary page is none")),
    }
}

/// What the values of a data page lie in.
fn page_buffer(page: &Page) -> Option<Buffer> {
    match page {
        Page::DataPage { buf, .. } | Page::DataPageV2 { buf, .. } => Some(Buffer::from(buf.clone())),
        Page::DictionaryPage { .. } => None,
    }
}

/// The rows of a data page; none if it is encoded in a way that is not read here.
fn page_rows(page: &Page, nullable: bool) -> std::result::Result<Option<PageRows<'_>>, PageError> {
    let short = PageError::Malformed("a page is too short");
    let encoding = |stored: Stored| match stored {
        Stored::PLAIN => Some(Encoding::Plain),
        Stored::PLAIN_DICTIONARY | Stored::RLE_DICTIONARY => Some(Encoding::Dictionary),
        Stored::RLE => Some(Encoding::Runs),
        _ => None,
    };
    match page {
        Page::DataPage { buf, num_values, encoding: stored, def_level_encoding, .. } => {
            let (levels, values) = if nullable {
                if *def_level_encoding != Stored::RLE {
                    return Ok(None);
                }
                let (length, rest) = buf.split_first_chunk::<4>().ok_or(short.clone())?;
                let (levels, values) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(short)?;
                (Some(levels), values)
            } else {
                (None, &buf[..])
            };
            let rows = *num_values as usize;
            Ok(encoding(*stored).map(|encoding| PageRows { rows, levels, values, encoding }))
        }
        Page::DataPageV2 { buf, num_rows, encoding: stored, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let rest = buf.get(*rep_levels_byte_len as usize..).ok_or(short.clone())?;
            let (levels, values) = rest.split_at_checked(*def_levels_byte_len as usize).ok_or(short)?;
            let levels = nullable.then_some(levels);
            let rows = *num_rows as usize;
            Ok(encoding(*stored).map(|encoding| PageRows { rows, levels, values, encoding }))
        }
        Page::DictionaryPage { .. } => Err(PageError::Malformed("a second dictionary page")),
    }
}

/// Strings as codes of a dictionary that has all of them.
fn coded(column: &Column, all: &Arc<Dictionary>) -> Option<Column> {
    let code = |row: usize| {
        if column.is_null(row) { Some(0) } else { all.find(column.data.text_bytes(row)).ok() }
    };
    let codes: Vec<u32> = (0..column.rows()).map(code).collect::<Option<_>>()?;
    Some(Column::new(Dictionary::encode(Arc::clone(all), codes.into_iter()), column.nulls.clone()))
}

/// A column of text as codes of a dictionary, if there is one: a loop may count on them.
fn as_shared(column: Column, shared: Option<&Arc<Dictionary>>, path: &Path) -> Result<Column> {
    match shared {
        Some(shared) if !column.data.dictionary().is_some_and(|own| Arc::ptr_eq(own, shared)) => {
            coded(&column, shared).ok_or_else(|| bad_file(path, "a page has strings that its dictionary lacks"))
        }
        _ => Ok(column),
    }
}

/// One dictionary of the strings of all row groups, if these are few, and all pages have nothing else. What cannot be read is told
/// by who reads it.
fn shared_dictionary(files: &Files, column: usize) -> Option<Arc<Dictionary>> {
    all_strings(files, column).ok().flatten()
}

fn all_strings(files: &Files, column: usize) -> Result<Option<Arc<Dictionary>>> {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for file in &files.files {
        // The dictionaries of far files would be asked for one by one, and of row groups that conditions leave out.
        if !file.opened.is_near {
            return Ok(None);
        }
        let Some(of) = file.columns[column] else { continue };
        let Some((leaf, Kind::Text)) = of.direct else { return Ok(None) };
        let metadata = file.opened.metadata.metadata();
        let first = metadata.row_groups().first();
        if first.is_some_and(|group| footer::row_group_distinct(group, leaf) > OWN_STRINGS_MAX as f64) {
            return Ok(None);
        }
        let (source, _) = Source::open(&file.opened.path)?;
        for (number, group) in metadata.row_groups().iter().enumerate().filter(|(_, group)| group.num_rows() > 0) {
            let known = footer::all_indexed(group.column(leaf));
            if known == Some(false) || (known.is_none() && group.column(leaf).compressed_size() > LOOKED_AT_BYTES) {
                return Ok(None);
            }
            let own = guarded(&file.opened.path, || {
                let mut pages = Pages::new(&file.opened, &source, (number, leaf), None)?;
                let page = pages.next()?;
                if !matches!(page, Some(Page::DictionaryPage { num_values, .. }) if num_values as usize <= OWN_STRINGS_MAX)
                {
                    return Ok(None);
                }
                if known.is_none() {
                    while let Some(page) = pages.next()? {
                        if !matches!(page.encoding(), Stored::PLAIN_DICTIONARY | Stored::RLE_DICTIONARY) {
                            return Ok(None);
                        }
                    }
                }
                // What is wrong with it is told by who reads it.
                Ok(dictionary_of(page.as_ref(), Kind::Text).ok())
            })?;
            let Some(own) = own else { return Ok(None) };
            for text in own.texts() {
                if !all.contains(text) {
                    all.insert(text.to_owned());
                }
            }
            if all.len() > SHARED_STRINGS_MAX {
                return Ok(None);
            }
        }
    }
    // A code stands at a NULL, too.
    if all.is_empty() {
        all.insert(String::new());
    }
    Ok(Some(Arc::new(Dictionary::new(all.iter().map(String::as_str)))))
}

/// Why numbers of a column are none of its type: of those that do not fit 64 bits, the ranges of which are checked elsewhere.
fn check_digits(column: &Column, field: &Field) -> std::result::Result<(), &'static str> {
    let DataType::Decimal { precision: 19.., .. } = field.data_type else { return Ok(()) };
    let Some((low, high)) = field.data_type.integer_bounds() else { return Ok(()) };
    let fits = |row| column.is_null(row) || column.integer(row).is_none_or(|value| (low..=high).contains(&value));
    if (0..column.rows()).all(fits) { Ok(()) } else { Err("a number has more digits than its type") }
}
