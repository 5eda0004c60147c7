//! Paths and patterns: `*` and `?` match within one part of a path, `**` any number of folders.

use super::io_error;
use multiloop_exec::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The files that a path or pattern names, sorted; at least one, else an error (58P01). A file whose name is the
/// pattern itself is meant literally.
pub fn expand(pattern: &str) -> Result<Vec<PathBuf>> {
    let literal = PathBuf::from(pattern);
    if !pattern.contains(['*', '?']) || literal.exists() {
        return if literal.is_file() {
            Ok(vec![literal])
        } else if literal.is_dir() {
            let message = format!("could not open file: it is a directory: {pattern}");
            Err(Error::new(ErrorKind::FileNotFound, message)
                .with_hint("Name its files by a pattern such as 'dir/*.parquet'."))
        } else {
            std::fs::metadata(&literal).map_err(|error| io_error(&literal, &error))?;
            Ok(vec![literal])
        };
    }
    let root = if pattern.starts_with('/') { PathBuf::from("/") } else { PathBuf::new() };
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = Vec::new();
    walk(&root, &parts, &mut found)?;
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Err(Error::new(ErrorKind::FileNotFound, format!("no file matches the pattern: {pattern}")));
    }
    Ok(found)
}

/// The files that several paths or patterns name, in the order of these; one that is named twice is there twice.
pub fn expand_all(patterns: &[String]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for pattern in patterns {
        paths.extend(expand(pattern)?);
    }
    Ok(paths)
}

fn walk(folder: &Path, parts: &[&str], found: &mut Vec<PathBuf>) -> Result<()> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    if !part.contains(['*', '?']) {
        let next = folder.join(part);
        match rest {
            [] if next.is_file() => found.push(next),
            [] => {}
            _ => walk(&next, rest, found)?,
        }
        return Ok(());
    }
    if *part == "**" {
        walk(folder, rest, found)?;
    }
    for name in names(folder)? {
        let next = folder.join(&name);
        if *part == "**" {
            // Links to folders are not followed: they could lead in a circle.
            if next.is_dir() && !next.is_symlink() && !name.starts_with('.') {
                walk(&next, parts, found)?;
            }
        } else if matches(part.as_bytes(), name.as_bytes()) && (part.starts_with('.') || !name.starts_with('.')) {
            match rest {
                [] if next.is_file() => found.push(next),
                [] => {}
                _ if next.is_dir() => walk(&next, rest, found)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// The names in a folder that are UTF-8; none if it is not there.
fn names(folder: &Path) -> Result<Vec<String>> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(io_error(folder, &error)),
    };
    let name = |entry: std::io::Result<std::fs::DirEntry>| match entry {
        Ok(entry) => Ok(entry.file_name().into_string().ok()),
        Err(error) => Err(io_error(folder, &error)),
    };
    entries.filter_map(|entry| name(entry).transpose()).collect()
}

/// Whether a name matches a pattern of `*`, `?` (any one character) and literal bytes. On a mismatch only the last
/// star needs another try.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        let width = (n + 1..name.len()).take_while(|&next| name[next] & 0xc0 == 0x80).count() + 1;
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => (p, n) = (p + 1, n + width),
            Some(&byte) if byte == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        let yes = [
            ("*", ""),
            ("*.csv", "a.csv"),
            ("a*b*c", "aXbbYc"),
            ("?.csv", "ä.csv"),
            ("part-??", "part-07"),
            ("**", "x"),
        ];
        let no = [("*.csv", "a.csv.gz"), ("?", ""), ("a*b", "ac"), ("?", "ab"), ("", "a")];
        yes.into_iter()
            .for_each(|(pattern, name)| assert!(matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}"));
        no.into_iter()
            .for_each(|(pattern, name)| assert!(!matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}"));
    }
}
