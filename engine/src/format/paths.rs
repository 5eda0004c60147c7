//! Paths and patterns: `*`, `?` and `[a-z]` (`[!a-z]`: none of them) match within one part of a path, `**` any number of folders.
//! `{a,b}` is two patterns.

use super::io_error;
use multiloop_exec::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The files that a path or pattern names, sorted; at least one, else an error (58P01). A file whose name is the
/// pattern itself is meant literally.
pub(super) fn expand(pattern: &str) -> Result<Vec<PathBuf>> {
    let literal = PathBuf::from(pattern);
    if !is_pattern(pattern) || literal.exists() {
        return if literal.is_file() {
            Ok(vec![literal])
        } else if literal.is_dir() {
            let message = format!("could not open file: it is a folder: {pattern}");
            let folder = pattern.trim_end_matches('/');
            let hint = format!("Name its files by a pattern such as '{folder}/*.parquet'.");
            Err(Error::new(ErrorKind::FileNotFound, message).with_hint(hint))
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

/// Patterns that one with braces may be, and bytes of one, at most.
const BRACES_MAX: usize = 10_000;
const BRACES_BYTES_MAX: usize = 4096;

pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The patterns that one with `{a,b}` in it stands for: one for each alternative. A file whose name is the pattern itself is meant
/// literally.
///
/// Errors: 22023 if there are too many, or the pattern is too long for braces.
pub(crate) fn braces(pattern: &str) -> Result<Vec<String>> {
    if !pattern.contains('{') || Path::new(pattern).exists() {
        return Ok(vec![pattern.to_owned()]);
    }
    let refused = |what: String| Err(Error::new(ErrorKind::InvalidParameter, format!("a pattern of a file {what}")));
    if pattern.len() > BRACES_BYTES_MAX {
        return refused(format!("with braces has more than {BRACES_BYTES_MAX} bytes"));
    }
    let (mut done, mut open) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(next) = open.pop() {
        if done.len() + open.len() >= BRACES_MAX {
            return refused(format!("stands for more than {BRACES_MAX}: {pattern}"));
        }
        match alternatives(&next) {
            // The last is the next to be looked at.
            Some((before, of, behind)) => open.extend(of.iter().rev().map(|part| format!("{before}{part}{behind}"))),
            None => done.push(next),
        }
    }
    Ok(done)
}

/// What stands before, in and behind the first braces with a comma in them.
fn alternatives(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    for (open, _) in pattern.match_indices('{') {
        let (mut depth, mut start, mut parts) = (0_usize, open + 1, Vec::new());
        for (at, byte) in pattern.bytes().enumerate().skip(open) {
            match byte {
                b'{' => depth += 1,
                b',' if depth == 1 => {
                    parts.push(&pattern[start..at]);
                    start = at + 1;
                }
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                if parts.is_empty() {
                    break;
                }
                parts.push(&pattern[start..at]);
                return Some((&pattern[..open], parts, &pattern[at + 1..]));
            }
        }
    }
    None
}

fn walk(folder: &Path, parts: &[&str], found: &mut Vec<PathBuf>) -> Result<()> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    if !is_pattern(part) {
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

/// Whether the parts of a path fit those of a pattern, as a walk through folders would find them.
#[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "stores list names, folders are walked through"))]
pub(super) fn fits(parts: &[&str], names: &[&str]) -> bool {
    // How many of the names the parts up to one may take.
    let mut taken = vec![false; names.len() + 1];
    taken[0] = true;
    for part in parts {
        let mut next = vec![false; names.len() + 1];
        for at in (0..names.len()).filter(|&at| taken[at]) {
            if *part == "**" {
                let folders = names[at..names.len() - 1].iter().take_while(|name| !name.starts_with('.')).count();
                next[at..=at + folders].fill(true);
                continue;
            }
            let is_shown = part.starts_with('.') || !names[at].starts_with('.');
            let is_same = || matches(part.as_bytes(), names[at].as_bytes()) && is_shown;
            next[at + 1] |= if is_pattern(part) { is_same() } else { *part == names[at] };
        }
        taken = next;
    }
    taken[names.len()]
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

/// Whether a name matches a pattern of `*`, `?` (any one character), `[a-z]` (one of some) and literal bytes. On a mismatch only the last
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
            Some(b'[') if class_end(pattern, p).is_some() => {
                let end = class_end(pattern, p).unwrap_or(p);
                if is_in_class(&pattern[p + 1..end], &name[n..n + width]) {
                    (p, n) = (end + 1, n + width);
                } else if let Some((at, from)) = star {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                } else {
                    return false;
                }
            }
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

/// Where the characters that begin at a bracket end; a bracket that nobody closes is one. The first character may be `]`.
fn class_end(pattern: &[u8], open: usize) -> Option<usize> {
    let negated = usize::from(matches!(pattern.get(open + 1), Some(b'!' | b'^')));
    let first = open + 1 + negated;
    (first + 1..pattern.len()).find(|&at| pattern[at] == b']')
}

/// Whether a character is one of `a-z_`, or with `!` before them none.
fn is_in_class(class: &[u8], character: &[u8]) -> bool {
    let (Ok(class), Ok(character)) = (std::str::from_utf8(class), std::str::from_utf8(character)) else { return false };
    let (negated, class) = match class.strip_prefix(['!', '^']) {
        Some(class) => (true, class),
        None => (false, class),
    };
    let (class, character): (Vec<char>, Option<char>) = (class.chars().collect(), character.chars().next());
    let Some(character) = character else { return false };
    let (mut at, mut found) = (0, false);
    while let Some(&low) = class.get(at) {
        match (class.get(at + 1), class.get(at + 2)) {
            (Some('-'), Some(&high)) => {
                found |= (low..=high).contains(&character);
                at += 3;
            }
            _ => {
                found |= low == character;
                at += 1;
            }
        }
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::{braces, matches};

    #[test]
    fn braces_are_several_patterns() {
        let of = |pattern: &str| braces(pattern).unwrap_or_default();
        assert_eq!(of("a{b,c}d"), ["abd", "acd"]);
        assert_eq!(of("{a,b}{1,2}"), ["a1", "a2", "b1", "b2"]);
        assert_eq!(of("{a{1,2},b}"), ["a1", "a2", "b"]);
        assert_eq!(of("x{,.old}"), ["x", "x.old"]);
        assert_eq!(of("{a}{b"), ["{a}{b"]);
        assert_eq!(of("{a{b,c}"), ["{ab", "{ac"]);
        assert_eq!(of("a}b"), ["a}b"]);
        assert_eq!(of(&"{a,b}".repeat(13)).len(), 1 << 13);
        assert!(braces(&"{a,b}".repeat(14)).is_err());
        assert!(braces(&"{".repeat(5000)).is_err());
    }

    #[test]
    fn patterns_of_paths() {
        let fits = |pattern: &str, path: &str| {
            let (parts, names): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
            super::fits(&parts, &names)
        };
        for (pattern, path) in [
            ("a/*.csv", "a/b.csv"),
            ("**/*.csv", "b.csv"),
            ("**/*.csv", "x/y/b.csv"),
            ("a/**/c/*.csv", "a/c/x.csv"),
            ("a/**/c/*.csv", "a/b/c/c/x.csv"),
            ("**/x=*/?", "t/x=1/a"),
        ] {
            assert!(fits(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("a/*.csv", "a/b/c.csv"),
            ("a/*.csv", "a/.b.csv"),
            ("**/*.csv", ".x/b.csv"),
            ("a/**/c/*.csv", "a/b/x.csv"),
            ("a/*/b", "a/b"),
            ("a", "a/b"),
            ("a/**", "a"),
            ("a/**", "a/b"),
        ] {
            assert!(!fits(pattern, path), "{pattern} {path}");
        }
        // Many stars end, even so.
        let (parts, names) = (vec!["**"; 12], vec!["a"; 12]);
        assert!(!super::fits(&[&parts[..], &["b"]].concat(), &names));
    }

    #[test]
    fn patterns() {
        let yes = [
            ("*", ""),
            ("*.csv", "a.csv"),
            ("a*b*c", "aXbbYc"),
            ("?.csv", "ä.csv"),
            ("part-??", "part-07"),
            ("**", "x"),
            ("part-[0-9].csv", "part-7.csv"),
            ("[!a-c]x", "dx"),
            ("[^a]", "ä"),
            ("[à-ü]", "ä"),
            ("*[0-9]", "a1b2"),
            ("[]]", "]"),
            ("[a-]", "-"),
            ("[a", "[a"),
        ];
        let no = [
            ("*.csv", "a.csv.gz"),
            ("?", ""),
            ("a*b", "ac"),
            ("?", "ab"),
            ("", "a"),
            ("[0-9]", "a"),
            ("[!0-9]", "7"),
            ("[ab]", "ab"),
            ("[a-c]*", "dab"),
            ("[]", "a"),
        ];
        yes.into_iter()
            .for_each(|(pattern, name)| assert!(matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}"));
        no.into_iter()
            .for_each(|(pattern, name)| assert!(!matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}"));
    }
}
