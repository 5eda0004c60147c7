//! Objects of stores, and files of HTTP servers.
//!
//! An object is looked for when it is named; its size, and what tells it from others of its name (its entity tag, or else when it was
//! written), are those of then, and everything that is read of it is held against these. Bytes are asked for in parts: such as a
//! format says that it needs (`part`), or windows of some MiB, the next of which is on its way while one is read (`read_at`). What
//! was read last is kept for others who want the same (`parts`).

mod address;
mod fault;
mod parts;
mod pending;
mod stores;
mod upload;

pub(crate) use stores::refuse_redirects;
pub(in super::super) use upload::Upload;

use super::super::identity::Identity;
use super::super::paths;
use super::{Found, Scheme, as_io, changed};
use address::Address;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt};
use multiloop_exec::{Error, ErrorKind, Result};
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt};
use pending::Pending;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use tokio::sync::{OnceCell, Semaphore};

/// Bytes of the windows in which a file is read from front to end.
const WINDOW_BYTES: u64 = 1 << 22;

/// What is asked of all stores at once.
const REQUESTS: usize = 16;

/// Names of a store that are looked through for a pattern, at most.
const LISTED_MAX: usize = 10_000_000;

static REQUESTS_LEFT: Semaphore = Semaphore::const_new(REQUESTS);

/// Numbers of objects: an address may be that of one that is gone.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Objects that somebody has, by name: as they were when they were last looked for.
static KNOWN: LazyLock<Mutex<HashMap<String, Weak<Object>>>> = LazyLock::new(Mutex::default);

/// An object as it was when it was looked for.
#[derive(Debug)]
pub(crate) struct Object {
    number: u64,
    name: String,
    store: Arc<dyn ObjectStore>,
    key: Key,
    bytes: u64,
    tag: Option<String>,
    /// In seconds; zero if it is not known.
    modified: i64,
    /// All of it, where a server gives no parts.
    whole: OnceCell<Arc<File>>,
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.name == other.name && self.is_as(other.bytes, other.tag.as_deref(), other.modified)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        parts::forget(self.number);
    }
}

/// An entity tag without what some answers have around it and others have not.
fn bare(tag: &str) -> String {
    tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned()
}

impl Object {
    fn of(address: &Address, store: &Arc<dyn ObjectStore>, name: String, found: ObjectMeta) -> Result<Arc<Object>> {
        let object = Arc::new(Object {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            name,
            store: Arc::clone(store),
            key: if address.scheme == Scheme::Http { address.key()? } else { found.location },
            bytes: found.size,
            tag: found.e_tag.as_deref().map(bare),
            modified: found.last_modified.timestamp(),
            whole: OnceCell::new(),
        });
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(&object.name).and_then(Weak::upgrade).filter(|same| *same == object) {
            return Ok(same);
        }
        if known.len().is_power_of_two() {
            known.retain(|_, object| object.strong_count() > 0);
        }
        known.insert(object.name.clone(), Arc::downgrade(&object));
        Ok(object)
    }

    /// The object of a name: as it was when it was last looked for, if somebody has it still, and else as it is now.
    ///
    /// Errors: 58P01, 42501, 58030; 57014.
    pub(in super::super) fn open(path: &Path) -> Result<Arc<Object>> {
        let name = path.to_string_lossy().into_owned();
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&name).and_then(Weak::upgrade);
        match known {
            Some(object) => Ok(object),
            None => Pending::wait_for(look(name)),
        }
    }

    /// Its bytes.
    pub(super) fn len(&self) -> u64 {
        self.bytes
    }

    fn is_as(&self, bytes: u64, tag: Option<&str>, modified: i64) -> bool {
        let is_same = match (&self.tag, tag) {
            (Some(own), Some(tag)) => own == tag,
            _ => self.modified == modified || self.modified == 0 || modified == 0,
        };
        self.bytes == bytes && is_same
    }

    /// An error (22P04) if what is given is of another one.
    fn check(&self, given: &ObjectMeta) -> Result<()> {
        let tag = given.e_tag.as_deref().map(bare);
        match self.is_as(given.size, tag.as_deref(), given.last_modified.timestamp()) {
            true => Ok(()),
            false => Err(changed(self.name.as_ref())),
        }
    }

    /// These bytes of it.
    ///
    /// Errors: 22P04 if it is another one by now, or has not as many; 58P01, 42501, 58030; 57014.
    pub(in super::super) fn part(self: &Arc<Self>, range: Range<u64>) -> Result<Bytes> {
        if range.end > self.bytes || range.start > range.end {
            return Err(changed(self.name.as_ref()));
        }
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        parts::read(self, range)
    }

    /// Says that these bytes will be asked for.
    pub(in super::super) fn expect(self: &Arc<Self>, range: Range<u64>) {
        let range = range.start..range.end.min(self.bytes);
        if !range.is_empty() {
            // Who asks for them is told what fails.
            let _ = parts::begin(self, range);
        }
    }

    /// The bytes around a place, and where they begin, for one who goes on behind them; none behind the end.
    pub(super) fn window(self: &Arc<Self>, place: u64) -> io::Result<Option<(u64, Bytes)>> {
        if place >= self.bytes {
            return Ok(None);
        }
        let start = place / WINDOW_BYTES * WINDOW_BYTES;
        let end = (start + WINDOW_BYTES).min(self.bytes);
        self.expect(start..end);
        self.expect(end..end + WINDOW_BYTES);
        Ok(Some((start, self.part(start..end).map_err(as_io)?)))
    }
}

/// Asks a store for bytes.
async fn fetch(object: Arc<Object>, range: Range<u64>) -> Result<Bytes> {
    let _turn = REQUESTS_LEFT.acquire().await;
    let length = usize::try_from(range.end - range.start).map_err(|_| changed(object.name.as_ref()))?;
    if let Some(whole) = object.whole.get() {
        return of_whole(&object, whole, range.start, length);
    }
    let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
    let given = match object.store.get_opts(&object.key, options).await {
        Err(object_store::Error::NotSupported { .. }) => {
            let whole = object.whole.get_or_try_init(|| download(&object)).await?;
            return of_whole(&object, whole, range.start, length);
        }
        given => given.map_err(|error| fault::error_of(&object.name, &error))?,
    };
    object.check(&given.meta)?;
    if given.range != range {
        return Err(changed(object.name.as_ref()));
    }
    let mut bytes = BytesMut::with_capacity(length.min(WINDOW_BYTES as usize));
    take(&object, given, length as u64, |more| {
        bytes.extend_from_slice(more);
        Ok(())
    })
    .await?;
    Ok(bytes.freeze())
}

/// Takes what is given, which is so many bytes and neither more nor less.
async fn take(object: &Object, given: GetResult, length: u64, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let wrong = |what: &str| {
        let message = format!("could not read {}: the server gives {what} bytes than it says", object.name);
        Err(Error::new(ErrorKind::Io, message))
    };
    let mut left = length;
    let mut stream = given.into_stream();
    while let Some(more) = stream.next().await {
        let more = more.map_err(|error| fault::error_of(&object.name, &error))?;
        left = match left.checked_sub(more.len() as u64) {
            Some(left) => left,
            None => return wrong("more"),
        };
        each(&more)?;
    }
    if left > 0 { wrong("fewer") } else { Ok(()) }
}

/// All of an object as a file without a name.
async fn download(object: &Object) -> Result<Arc<File>> {
    let failed = |error: io::Error| {
        let kind = if error.kind() == io::ErrorKind::StorageFull { ErrorKind::DiskFull } else { ErrorKind::Io };
        Error::new(kind, format!("could not keep {}, which its server gives but whole: {error}", object.name))
    };
    let given = object.store.get_opts(&object.key, GetOptions::default()).await;
    let given = given.map_err(|error| fault::error_of(&object.name, &error))?;
    object.check(&given.meta)?;
    let mut file = tempfile::tempfile().map_err(failed)?;
    take(object, given, object.bytes, |more| file.write_all(more).map_err(failed)).await?;
    Ok(Arc::new(file))
}

fn of_whole(object: &Object, whole: &File, place: u64, length: usize) -> Result<Bytes> {
    let mut bytes = vec![0; length];
    let mut done = 0;
    while done < length {
        match super::read_file_at(whole, place + done as u64, &mut bytes[done..]) {
            Ok(0) => return Err(changed(object.name.as_ref())),
            Ok(more) => done += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::new(ErrorKind::Io, format!("could not read {}: {error}", object.name))),
        }
    }
    Ok(bytes.into())
}

/// Looks for an object.
async fn look(name: String) -> Result<Arc<Object>> {
    let _turn = REQUESTS_LEFT.acquire().await;
    let address = Address::of(&name)?;
    let (store, key) = (stores::store_of(&address)?, address.key()?);
    let found = match store.head(&key).await {
        Ok(found) => found,
        Err(error @ object_store::Error::NotFound { .. }) => return Err(fault::error_of(&name, &error)),
        // Not every server tells of a file without giving something of it, nor may everybody ask.
        Err(error) if address.scheme == Scheme::Http => {
            let options = GetOptions { range: Some(GetRange::Bounded(0..1)), ..GetOptions::default() };
            let given = store.get_opts(&key, options).await;
            given.map_err(|_| fault::error_of(&name, &error))?.meta
        }
        Err(error) => return Err(fault::error_of(&name, &error)),
    };
    Object::of(&address, &store, name, found)
}

/// The objects that patterns name, for each of them: a name is one, in a store a pattern is all that it fits, sorted.
///
/// Errors: 0A000 for a pattern of a server that lists nothing; of each 58P01 if it names none, 42501, 58030, 57014.
pub(in super::super) fn expand(patterns: &[String]) -> Result<Vec<Result<Found>>> {
    let mut begun = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let address = Address::of(pattern)?;
        if address.scheme == Scheme::Http && super::name_part(pattern).contains('*') {
            return Err(Error::unsupported(format_args!(
                "a pattern of files of an HTTP server, which lists none, {pattern}, is"
            ))
            .with_hint("Name the files in a list, or by braces: {a,b}."));
        }
        if address.parts.is_empty() {
            return Err(Error::new(
                ErrorKind::FileNotFound,
                format!("could not open file: it names no file: {pattern}"),
            ));
        }
        let (pattern, is_pattern) = (pattern.clone(), address.fixed() < address.parts.len());
        begun.push(Pending::begin(async move {
            if is_pattern { list(pattern, address).await } else { look(pattern).await.map(|object| vec![object]) }
        })?);
    }
    let named = |object: Arc<Object>| (PathBuf::from(&object.name), Identity::Object(object));
    let found = |pending: Arc<Pending<Vec<Arc<Object>>>>| {
        pending.wait().map(|objects| objects.into_iter().map(named).collect())
    };
    Ok(begun.into_iter().map(found).collect())
}

/// The objects that a pattern fits.
async fn list(pattern: String, address: Address) -> Result<Vec<Arc<Object>>> {
    let _turn = REQUESTS_LEFT.acquire().await;
    let store = stores::store_of(&address)?;
    let prefix = Address { parts: address.parts[..address.fixed()].to_vec(), ..address.clone() }.key()?;
    let failed = |error: object_store::Error| fault::error_of(&pattern, &error);
    let parts: Vec<&str> = address.parts.iter().map(String::as_str).collect();
    let mut listed = store.list(Some(&prefix));
    let (mut found, mut count) = (Vec::new(), 0);
    while let Some(object) = listed.try_next().await.map_err(failed)? {
        count += 1;
        if count > LISTED_MAX {
            let message =
                format!("a pattern for which more than {LISTED_MAX} names would be looked through: {pattern}");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        let names: Vec<&str> = object.location.as_ref().split('/').collect();
        if paths::fits(&parts, &names) {
            let name = address.name_of(&object.location);
            found.push(Object::of(&address, &store, name, object)?);
        }
    }
    if found.is_empty() {
        return Err(Error::new(ErrorKind::FileNotFound, format!("no file matches the pattern: {pattern}")));
    }
    // As names of this machine are.
    found.sort_by(|one, other| Path::new(&one.name).cmp(Path::new(&other.name)));
    Ok(found)
}

/// Whether an object, or all that a pattern names, is in a folder of a store.
pub(crate) fn is_within(name: &str, folder: &Path) -> bool {
    let folder = folder.to_str().map(Address::of);
    matches!((Address::of(name), folder), (Ok(name), Some(Ok(folder))) if name.is_within(&folder))
}
