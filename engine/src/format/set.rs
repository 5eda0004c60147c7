//! Files that are one table, and the columns that their paths say: their names, and Hive's partitions, which are folders named
//! `column=value`. Such a column has one value a file, so that a condition on it leaves out whole files.

use super::identity::Identity;
use super::paths::{braces, expand};
use super::store::{self, name_part, scheme_of};
use arrow::buffer::NullBuffer;
use multiloop_exec::column::{Column, ColumnData, Dictionary, text_order};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::catalog::FileOption;
use multiloop_planner::evaluate::parse;
use multiloop_planner::sql::type_named;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use percent_encoding::percent_decode_str;
use std::collections::{BTreeSet, HashSet};
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The folder of rows that have no value.
pub(super) const NULL_PARTITION: &str = "__HIVE_DEFAULT_PARTITION__";

/// What options say of a set of files, whatever their format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetOptions {
    /// The name of the column of paths, if there is one.
    filename: Option<String>,
    /// Whether folders are columns; none: if they look like it.
    hive: Option<bool>,
    /// The types of some of these.
    hive_types: Vec<(String, DataType)>,
    /// All others are text.
    hive_as_text: bool,
    /// Whether files must have the same columns in the same order.
    same_columns: bool,
}

impl SetOptions {
    /// Paths as what is kept of their files is found by: those of one file are one, however they are spelled, unless that is seen.
    pub(crate) fn spelled(&self, paths: &[String]) -> Vec<String> {
        let plain = |path: &String| {
            if self.filename.is_some() || scheme_of(path).is_some() {
                return path.clone();
            }
            let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
            parts.collect::<PathBuf>().to_string_lossy().into_owned()
        };
        paths.iter().map(plain).collect()
    }

    /// The names that [`SetOptions::set`] knows.
    pub(super) const NAMES: &'static [&'static str] =
        &["filename", "hive_partitioning", "hive_types", "hive_types_autocast", "union_by_name"];

    /// Takes an option; false if there is none of its name.
    pub(super) fn set(&mut self, option: &FileOption) -> Result<bool> {
        match option.name.as_str() {
            "filename" => {
                let named = option.text().ok().filter(|_| option.boolean().is_err());
                self.filename = match named {
                    Some(name) => Some(name.to_lowercase()),
                    None => option.boolean()?.then(|| "filename".to_owned()),
                };
            }
            "hive_partitioning" => self.hive = Some(option.boolean()?),
            "hive_types" => {
                for (name, data_type) in option.pairs()? {
                    let data_type = type_named(data_type).map_err(|error| option.invalid(error.message()))?;
                    if data_type.is_logical() || data_type.element().is_some() {
                        return Err(option.invalid(format_args!("no partition is of type {data_type}")));
                    }
                    self.hive_types.push((name.to_lowercase(), data_type));
                }
            }
            "hive_types_autocast" => self.hive_as_text = !option.boolean()?,
            "union_by_name" => self.same_columns = !option.boolean()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Files that are read as one table, in order.
#[derive(Clone, Debug, Default)]
pub struct FileSet {
    paths: Vec<PathBuf>,
    /// By path, of what has been looked for already.
    identities: Vec<Option<Identity>>,
    constants: Vec<Constants>,
    same_columns: bool,
}

/// A column that has one value a file.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    pub(super) field: Field,
    /// Whether it stands for a column of that name in the files: a partition's rows have the folder's value.
    replaces: bool,
    /// By file.
    values: Vec<Value>,
    /// All strings, of a column of text.
    dictionary: Option<Arc<Dictionary>>,
}

impl Deref for FileSet {
    type Target = [PathBuf];

    fn deref(&self) -> &[PathBuf] {
        &self.paths
    }
}

impl FileSet {
    /// The files that paths or patterns name, in the order of these; one that is named twice is there twice. What their paths say
    /// is no column.
    ///
    /// Errors: 58P01 if one of them names no file.
    pub fn named(patterns: &[String]) -> Result<Self> {
        let expanded = patterns.iter().map(|pattern| braces(pattern)).collect::<Result<Vec<_>>>()?;
        // Stores are asked for all of them at once.
        let of_stores: Vec<String> =
            expanded.iter().flatten().filter(|pattern| scheme_of(pattern).is_some()).cloned().collect();
        let mut of_stores = if of_stores.is_empty() { Vec::new() } else { store::expand(&of_stores)? }.into_iter();
        let mut set = FileSet::default();
        for expanded in expanded {
            // Of several patterns in one some may name no file.
            let (mut found, mut missing) = (false, None);
            for pattern in &expanded {
                let more: Result<Vec<(PathBuf, Option<Identity>)>> = match scheme_of(pattern) {
                    Some(_) => match of_stores.next() {
                        Some(more) => more.map(|more| more.into_iter().map(|(path, of)| (path, Some(of))).collect()),
                        None => Err(Error::internal("a store was not asked")),
                    },
                    None => expand(pattern).map(|more| more.into_iter().map(|path| (path, None)).collect()),
                };
                match more {
                    Ok(more) => {
                        found |= !more.is_empty();
                        let (paths, identities): (Vec<_>, Vec<_>) = more.into_iter().unzip();
                        set.paths.extend(paths);
                        set.identities.extend(identities);
                    }
                    Err(error) if error.kind() == ErrorKind::FileNotFound && expanded.len() > 1 => {
                        missing = missing.or(Some(error));
                    }
                    Err(error) => return Err(error),
                }
            }
            if let (false, Some(error)) = (found, missing) {
                return Err(error);
            }
        }
        Ok(set)
    }

    /// What the files are like. Of a pipe that is what it says: it is read now, and kept as long as somebody has this.
    ///
    /// Errors: of what cannot be kept, 53100 among them.
    pub(crate) fn identify(&mut self) -> Result<&[Option<Identity>]> {
        for (path, identity) in self.paths.iter().zip(&mut self.identities) {
            if identity.is_none() {
                *identity = Identity::at(path)?;
            }
        }
        Ok(&self.identities)
    }

    /// The same with the columns that options ask for.
    ///
    /// Errors: 22023 if partitions are asked for and the files' folders are not named alike, 22P02 and its kin for a partition's value
    /// that is none of its type.
    pub(crate) fn with_options(mut self, options: &SetOptions) -> Result<Self> {
        self.same_columns = options.same_columns;
        if let Some(name) = &options.filename {
            let values = self.paths.iter().map(|path| Value::text(path.to_string_lossy())).collect();
            self.constants.push(Constants::new(name, DataType::Text, values, false));
        }
        if options.hive != Some(false) {
            match self.partitions() {
                Some(partitions) => {
                    for (name, texts) in partitions {
                        self.constants.push(Constants::partition(&name, &texts, options)?);
                    }
                }
                None if options.hive == Some(true) => {
                    let message =
                        "hive_partitioning: the folders of all files must be named column=value, for the same columns";
                    return Err(Error::new(ErrorKind::InvalidParameter, message));
                }
                None => {}
            }
        }
        for (name, _) in &options.hive_types {
            if !self.constants.iter().any(|of| of.replaces && of.field.name == *name) {
                let message = format!("hive_types: no folder is named \"{name}=…\"");
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
        }
        Ok(self)
    }

    /// Names and values of the partitions of all files; none if these have not the same ones.
    fn partitions(&self) -> Option<Vec<(String, Vec<Option<String>>)>> {
        let all: Vec<Vec<(String, Option<String>)>> = self.paths.iter().map(|path| partitions_of(path)).collect();
        let first = all.first().filter(|first| !first.is_empty())?;
        let mut names = HashSet::new();
        if !first.iter().all(|(name, _)| names.insert(name)) {
            return None;
        }
        let names = |of: &[(String, Option<String>)]| of.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let known = names(first);
        if !all.iter().all(|of| names(of) == known) {
            return None;
        }
        let values = |at: usize| all.iter().map(|of| of[at].1.clone()).collect();
        Some(known.into_iter().enumerate().map(|(at, name)| (name, values(at))).collect())
    }

    /// The columns that the paths say.
    pub(super) fn constants(&self) -> &[Constants] {
        &self.constants
    }

    /// Whether files must have the same columns in the same order.
    pub(super) fn has_same_columns(&self) -> bool {
        self.same_columns
    }

    /// An error (0A000) if a reader has left out the columns that the paths say.
    pub(super) fn check_columns(&self, fields: &[Field]) -> Result<()> {
        match self.constants.iter().find(|of| !fields.iter().any(|field| field.name == of.field.name)) {
            Some(of) => Err(Error::unsupported(format!("column \"{}\" of files of this format is", of.field.name))),
            None => Ok(()),
        }
    }
}

/// The partitions of a path: its folders that are named `column=value`.
fn partitions_of(path: &Path) -> Vec<(String, Option<String>)> {
    // What a server is asked besides is no folder.
    let path = path.to_str().map_or(path, |path| Path::new(name_part(path)));
    let folders = path.parent().into_iter().flat_map(Path::components);
    let partition = |folder: Component<'_>| {
        let Component::Normal(folder) = folder else { return None };
        let (name, value) = folder.to_str()?.split_once('=').filter(|(name, _)| !name.is_empty())?;
        Some((decoded(name).to_lowercase(), (value != NULL_PARTITION).then(|| decoded(value))))
    };
    folders.filter_map(partition).collect()
}

/// A text without percent signs before bytes in hexadecimal, unless that would be no text.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned)
}

impl Constants {
    fn new(name: &str, data_type: DataType, values: Vec<Value>, replaces: bool) -> Self {
        let field = Field::new(name, data_type, values.contains(&Value::Null));
        let dictionary = (data_type == DataType::Text).then(|| {
            let mut texts: BTreeSet<&str> = values.iter().filter_map(text_of).collect();
            // A code stands at a NULL, too.
            if texts.is_empty() {
                texts.insert("");
            }
            Arc::new(Dictionary::new(texts))
        });
        Constants { field, replaces, values, dictionary }
    }

    fn partition(name: &str, texts: &[Option<String>], options: &SetOptions) -> Result<Self> {
        let said = options.hive_types.iter().find(|(of, _)| of == name).map(|(_, data_type)| *data_type);
        let data_type = match said {
            Some(data_type) => data_type,
            None if options.hive_as_text => DataType::Text,
            None => guess(texts),
        };
        let value = |text: &Option<String>| match text {
            None => Ok(Value::Null),
            Some(text) if data_type == DataType::Text => Ok(Value::text(text.as_str())),
            Some(text) => parse(text, data_type).map_err(|error| error.with_detail(format!("Partition \"{name}\"."))),
        };
        let values = texts.iter().map(value).collect::<Result<_>>()?;
        Ok(Constants::new(name, data_type, values, true))
    }

    /// An error (42701) unless it stands for a column of that name in the files.
    pub(super) fn check_replaces(&self) -> Result<()> {
        if self.replaces {
            return Ok(());
        }
        let name = &self.field.name;
        let message = format!("column \"{name}\" is in the files already, so that it cannot be their name");
        Err(Error::new(ErrorKind::DuplicateColumn, message).with_hint("filename => 'other' gives it another name."))
    }

    /// How many of so many rows of a file are NULL, and their range as that of a chunk.
    pub(super) fn known(&self, file: usize, rows: usize) -> (usize, Option<(i64, i64)>) {
        match &self.values[file] {
            Value::Null => (rows, None),
            Value::Int(value) => (0, Some((*value, *value))),
            Value::Text(text) if self.dictionary.is_some() => {
                let at = text_order(text.as_bytes());
                (0, Some((at, at)))
            }
            _ => (0, None),
        }
    }

    /// Whether one of some texts may be that of a file's rows.
    pub(super) fn is_among(&self, file: usize, texts: &[Box<[u8]>]) -> bool {
        let own = text_of(&self.values[file]).filter(|_| self.dictionary.is_some());
        own.is_none_or(|own| texts.iter().any(|text| **text == *own.as_bytes()))
    }

    /// The strings of all files.
    pub(super) fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        self.dictionary.as_ref()
    }

    /// How many values there are that are not NULL.
    pub(super) fn distinct(&self) -> u64 {
        let mut distinct: Vec<&Value> = Vec::new();
        if let Some(dictionary) = &self.dictionary {
            return dictionary.len() as u64;
        }
        for value in self.values.iter().filter(|value| **value != Value::Null) {
            // Files of one partition stand together.
            if distinct.last() != Some(&value) {
                distinct.push(value);
            }
        }
        distinct.len() as u64
    }

    /// Some rows of a file.
    pub(super) fn column(&self, file: usize, rows: usize) -> Column {
        let value = &self.values[file];
        match (value, &self.dictionary) {
            (Value::Int(base), None) if self.field.data_type.integer_bounds().is_some() => {
                let offsets = vec![0_u8; rows].into();
                Column::new(ColumnData::Frame8 { base: *base, offsets }, None)
            }
            (_, Some(dictionary)) => {
                let code = text_of(value).and_then(|text| dictionary.find(text.as_bytes()).ok()).unwrap_or(0);
                let data = Dictionary::encode(Arc::clone(dictionary), std::iter::repeat_n(code, rows));
                Column::new(data, (*value == Value::Null).then(|| NullBuffer::new_null(rows)))
            }
            _ => Column::from_values(self.field.data_type, &vec![value.clone(); rows]),
        }
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The type that all values of a partition look like.
fn guess(texts: &[Option<String>]) -> DataType {
    let all = |looks: &dyn Fn(&str) -> bool| texts.iter().flatten().all(|text| looks(text));
    let is_digits = |text: &str| text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    let shaped = |text: &str, shape: &str| {
        text.len() == shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, of)| if of == b'0' { byte.is_ascii_digit() } else { byte == of })
    };
    let is_date = |text: &str| shaped(text, "0000-00-00") && parse(text, DataType::Date).is_ok();
    let is_timestamp = |text: &str| shaped(text, "0000-00-00 00:00:00") && parse(text, DataType::Timestamp).is_ok();
    if texts.iter().all(Option::is_none) {
        DataType::Text
    } else if all(&|text| is_digits(text) && text.parse::<i64>().is_ok()) {
        DataType::BigInt
    } else if all(&is_date) {
        DataType::Date
    } else if all(&is_timestamp) {
        DataType::Timestamp
    } else {
        DataType::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(values: &[&str]) -> DataType {
        guess(&values.iter().map(|text| (*text != "NULL").then(|| (*text).to_owned())).collect::<Vec<_>>())
    }

    #[test]
    fn spellings_of_a_path() {
        let options = SetOptions::default();
        let of = |path: &str| options.spelled(&[path.to_owned()]).remove(0);
        assert_eq!(of("./a//b/./c.csv"), "a/b/c.csv");
        assert_eq!(of("/a/../b"), "/a/../b");
        assert_eq!(of("s3://a/./b"), "s3://a/./b");
        let named = SetOptions { filename: Some("name".to_owned()), ..options.clone() };
        assert_eq!(named.spelled(&["./a".to_owned()]), ["./a"]);
    }

    #[test]
    fn types_of_partitions() {
        assert_eq!(types(&["1", "-2", "NULL", "007"]), DataType::BigInt);
        assert_eq!(types(&["9223372036854775807"]), DataType::BigInt);
        assert_eq!(types(&["9223372036854775808"]), DataType::Text);
        assert_eq!(types(&["1", "x"]), DataType::Text);
        assert_eq!(types(&["1", ""]), DataType::Text);
        assert_eq!(types(&["-"]), DataType::Text);
        assert_eq!(types(&["1e3"]), DataType::Text);
        assert_eq!(types(&["2024-02-29", "1970-01-01"]), DataType::Date);
        assert_eq!(types(&["2023-02-29"]), DataType::Text);
        assert_eq!(types(&["2024-02-29 12:00:00"]), DataType::Timestamp);
        assert_eq!(types(&["NULL"]), DataType::Text);
        assert_eq!(types(&["NULL", "5"]), DataType::BigInt);
    }

    #[test]
    fn partitions_of_paths() {
        let of = |path: &str| partitions_of(Path::new(path));
        let some = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        assert_eq!(of("/data/Year=2024/m=1/x.parquet"), [some("year", "2024"), some("m", "1")]);
        assert_eq!(of("a=1/b=__HIVE_DEFAULT_PARTITION__/c=3.csv"), [some("a", "1"), ("b".to_owned(), None)]);
        assert_eq!(of("a%20b=c%2Fd%3De=f/x"), [some("a b", "c/d=e=f")]);
        assert_eq!(of("a=%ff/x"), [some("a", "%ff")]);
        assert_eq!(of("=1/x"), []);
        assert_eq!(of("a=/x"), [some("a", "")]);
    }
}
