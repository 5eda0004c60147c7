//! The files that the program was given: each becomes a view that reads it where it is.

use crate::quote;
use anyhow::{Context as _, Result, anyhow, bail};
use multiloop::Session;
use multiloop::format::Format;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::Path;

/// Folders within a folder in which files are looked for.
const DEPTH_MAX: usize = 16;

/// A view of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// As SQL writes it.
    pub(crate) name: String,
    /// The path or pattern.
    pub(crate) path: String,
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is a view of {}", self.name, self.path)
    }
}

/// Makes a view of each file, pattern or folder. What is not there, is of no known format, or cannot be read is told, and the others
/// become views.
pub(crate) fn open_files(session: &Session, paths: &[String]) -> Vec<View> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut views = Vec::new();
    for path in paths {
        match open_file(session, path, &mut taken) {
            Ok(view) => views.push(view),
            Err(error) => warn!("{error:#}"),
        }
    }
    views
}

fn open_file(session: &Session, path: &str, taken: &mut HashSet<String>) -> Result<View> {
    let pattern = if Path::new(path).is_dir() { pattern_of_folder(path)? } else { path.to_owned() };
    let name = unused(&name_of(path), taken);
    let view = View { name: quote::name(&name), path: pattern };
    let sql = format!("CREATE OR REPLACE VIEW {} AS SELECT * FROM {}", view.name, quote::text(&view.path));
    let made = session.sql(&sql).map_err(|error| anyhow!("{}", error.message()).context(path.to_owned()));
    made.map(|_| view).inspect_err(|_| {
        // Its name is free for another one.
        taken.remove(&name);
    })
}

/// The name of a file without its endings, in lower case, as names without quotes are; of a pattern or a folder the folder's.
fn name_of(path: &str) -> String {
    let is_pattern = |part: &str| part.contains(['*', '?', '[']);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let plain = parts.iter().rev().find(|part| !is_pattern(part));
    let name = match parts.last() {
        // `trips-*.csv` is of trips.
        Some(last) if is_pattern(last) => {
            let start = last.split(['*', '?', '[']).next().unwrap_or_default();
            let start = start.trim_end_matches(|c: char| !c.is_alphanumeric());
            if start.is_empty() { plain.copied().unwrap_or("files") } else { start }
        }
        Some(last) => *last,
        None => "files",
    };
    let mut name = name;
    // `x.csv.gz` has two endings.
    while let Some((stem, _)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        let is_last = Format::of_path(stem).is_none();
        name = stem;
        if is_last {
            break;
        }
    }
    name.to_lowercase()
}

/// A name, with a number if it is taken.
fn unused(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (1..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

/// The pattern of all files in a folder, which have to be of one format.
fn pattern_of_folder(folder: &str) -> Result<String> {
    let mut endings = BTreeMap::new();
    count_endings(Path::new(folder), 0, &mut endings).with_context(|| folder.to_owned())?;
    let folder = folder.trim_end_matches('/');
    match endings.keys().collect::<Vec<_>>()[..] {
        [] => bail!("{folder}: there is no file of a known format in this folder"),
        [ending] => Ok(format!("{folder}/**/*.{ending}")),
        [one, other, ..] => bail!(
            "{folder}: there are .{one} and .{other} files in this folder; name those that are meant by a pattern, \
             as '{folder}/*.{one}'"
        ),
    }
}

/// Counts the files of known formats by their endings.
fn count_endings(folder: &Path, depth: usize, endings: &mut BTreeMap<String, usize>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if depth < DEPTH_MAX && !path.is_symlink() {
                count_endings(&path, depth + 1, endings)?;
            }
        } else if Format::of_path(&name).is_some()
            && let Some((_, ending)) = name.rsplit_once('.')
        {
            *endings.entry(ending.to_owned()).or_default() += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{name_of, unused};
    use std::collections::HashSet;

    #[test]
    fn views_are_named_by_their_files() {
        let cases = [
            ("data/Trips.parquet", "trips"),
            ("x.csv.gz", "x"),
            ("a.b.csv", "a.b"),
            ("data/*.parquet", "data"),
            ("data/trips-*.csv", "trips"),
            ("years/year=*/*.parquet", "years"),
            ("*.csv", "files"),
            ("data/", "data"),
            (".hidden", ".hidden"),
        ];
        cases.iter().for_each(|(path, name)| assert_eq!(name_of(path), *name, "{path}"));
    }

    #[test]
    fn two_files_of_one_name_are_told_apart() {
        let mut taken = HashSet::new();
        let names: Vec<String> = ["a", "a", "b", "a"].iter().map(|name| unused(name, &mut taken)).collect();
        assert_eq!(names, ["a", "a_1", "b", "a_2"]);
    }
}
