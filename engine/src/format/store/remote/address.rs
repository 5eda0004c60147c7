//! What the name of an object says: the store, and where in it.
//!
//! There is one reading of a name, by which objects are asked for and by which is decided who may: of a server's URL its path without
//! percent signs, part by part, of the others the key as it is written. Names that could be read otherwise are none.

use super::super::{Scheme, scheme_of};
use multiloop_exec::{Error, ErrorKind, Result};
use object_store::path::Path as Key;
use percent_encoding::percent_decode_str;
use url::{Position, Url};

/// Where an object is, or several by a pattern.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) scheme: Scheme,
    /// The store: `s3://bucket`, `https://host:port`.
    pub(super) root: String,
    /// Parts of the key.
    pub(super) parts: Vec<String>,
    /// What a server is asked besides.
    pub(super) query: Option<String>,
}

impl Address {
    /// Of a name as statements have it.
    ///
    /// Errors: 22023 for what is no name of an object.
    pub(super) fn of(name: &str) -> Result<Address> {
        match scheme_of(name) {
            Some(Scheme::Http) => Address::of_server(name),
            Some(scheme) => Address::of_store(name, scheme),
            None => Err(invalid(name, "it names no store")),
        }
    }

    fn of_server(name: &str) -> Result<Address> {
        let url = Url::parse(name).map_err(|error| invalid(name, error))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::new(ErrorKind::InvalidParameter, "a URL with a user or a password is not read"));
        }
        let mut parts = Vec::new();
        for part in url.path_segments().into_iter().flatten() {
            let part = percent_decode_str(part).decode_utf8().map_err(|error| invalid(name, error))?;
            parts.push(part.into_owned());
        }
        let root = url[..Position::BeforePath].to_owned();
        let address = Address { scheme: Scheme::Http, root, parts, query: url.query().map(str::to_owned) };
        address.checked(name)
    }

    fn of_store(name: &str, scheme: Scheme) -> Result<Address> {
        let (kind, rest) = name.split_once("://").unwrap_or(("", name));
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(invalid(name, "it names no bucket"));
        }
        let root = format!("{}://{bucket}", kind.to_ascii_lowercase());
        let parts = key.split('/').map(str::to_owned).collect();
        Address { scheme, root, parts, query: None }.checked(name)
    }

    /// The same if each part is a name.
    fn checked(mut self, name: &str) -> Result<Address> {
        // Nothing behind a last slash is the folder before it.
        if self.parts.last().is_some_and(String::is_empty) {
            self.parts.pop();
        }
        let is_wrong = |part: &String| matches!(part.as_str(), "" | "." | "..") || part.contains('/');
        if self.parts.iter().any(is_wrong) {
            return Err(invalid(name, "a part between slashes is no name"));
        }
        Ok(self)
    }

    /// Where it is in the store.
    pub(super) fn key(&self) -> Result<Key> {
        Key::parse(self.parts.join("/")).map_err(|error| invalid(&self.root, error))
    }

    /// The name of an object of the same store.
    pub(super) fn name_of(&self, key: &Key) -> String {
        format!("{}/{key}", self.root)
    }

    /// How many of the parts are no patterns.
    pub(super) fn fixed(&self) -> usize {
        let is_pattern = |part: &String| self.scheme != Scheme::Http && super::super::super::paths::is_pattern(part);
        self.parts.iter().position(is_pattern).unwrap_or(self.parts.len())
    }

    /// Whether all that it names is in another one's folder.
    pub(super) fn is_within(&self, folder: &Address) -> bool {
        let fixed = &self.parts[..self.fixed()];
        self.scheme == folder.scheme && self.root == folder.root && fixed.starts_with(&folder.parts)
    }
}

fn invalid(name: &str, reason: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidParameter, format!("not the name of a file in a store: {name}: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str) -> Option<String> {
        Address::of(name).ok().map(|address| format!("{} {}", address.root, address.parts.join("|")))
    }

    #[test]
    fn names() {
        assert_eq!(parts("S3://bucket/a/b c.csv").as_deref(), Some("s3://bucket a|b c.csv"));
        assert_eq!(parts("s3://bucket/a%2Fb").as_deref(), Some("s3://bucket a%2Fb"));
        assert_eq!(parts("s3://bucket").as_deref(), Some("s3://bucket "));
        assert_eq!(parts("https://Host:443/a/../b%20c?x=/..#y").as_deref(), Some("https://host b c"));
        assert_eq!(parts("http://h:81/%2e%2e/a").as_deref(), Some("http://h:81 a"));
        for wrong in [
            "s3:///a",
            "s3://b/../a",
            "s3://b/a//c",
            "s3://b/./c",
            "https://h/a%2fb",
            "https://h/..%2f..%2fa",
            "https://h//a",
            "https://u:p@h/a",
            "https://h/%ff",
            "http://",
        ] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn folders() {
        let within = |name: &str, folder: &str| match (Address::of(name), Address::of(folder)) {
            (Ok(name), Ok(folder)) => name.is_within(&folder),
            _ => false,
        };
        for (name, folder) in [
            ("s3://b/a/x", "s3://b/a"),
            ("s3://b/a/x", "s3://b/a/"),
            ("s3://b/a/*.csv", "s3://b/a"),
            ("s3://b/a/*.csv", "s3://b"),
            ("https://h/a/b?c=d", "https://h:443/a"),
            ("https://h/a%2Ecsv", "https://h/a.csv"),
            ("https://h/x*/b", "https://h/x*"),
        ] {
            assert!(within(name, folder), "{name} {folder}");
        }
        for (name, folder) in [
            ("s3://b/ax", "s3://b/a"),
            ("s3://b/a*/x", "s3://b/ab"),
            ("s3://b/*/x", "s3://b/a"),
            ("s3://c/a/x", "s3://b/a"),
            ("gs://b/a/x", "s3://b/a"),
            ("s3://b/a/../c", "s3://b/a"),
            ("https://h/a/%2e%2e/c", "https://h/a"),
            ("https://h/a/..%2fc", "https://h/a"),
            ("https://h/a\\..\\c", "https://h/a"),
            ("https://h.evil/a/x", "https://h/a"),
            ("https://h@evil/a/x", "https://h/a"),
            ("http://h/a/x", "https://h/a"),
            ("https://h:8443/a/x", "https://h/a"),
        ] {
            assert!(!within(name, folder), "{name} {folder}");
        }
    }
}
