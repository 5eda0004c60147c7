//! Files that are compressed as a whole: gzip and zstd. They are read by their first bytes, whatever the file's name is, and written
//! as options or the name say.

use super::io_error;
use super::store::Source;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use multiloop_exec::{Error, ErrorKind, Result};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// The longest window of a Zstandard frame, as a power of two: what its own program takes unless it is told otherwise.
const ZSTD_WINDOW_MAX: u32 = 27;

/// Levels where none is said: what the compressions' own programs take.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// One gzip member or several behind each other.
    Gzip,
    /// One zstd frame or several behind each other.
    Zstd,
}

impl Compression {
    /// The compression of a name; none of `auto`, which is to look at the file. An error (22023) for other names.
    pub fn named(name: &str) -> Result<Option<Compression>> {
        match name.to_ascii_lowercase().as_str() {
            "auto" | "auto_detect" => Ok(None),
            "none" | "uncompressed" => Ok(Some(Compression::None)),
            "gzip" | "gz" => Ok(Some(Compression::Gzip)),
            "zstd" | "zst" => Ok(Some(Compression::Zstd)),
            _ => Err(Error::new(ErrorKind::InvalidParameter, format!("compression \"{name}\" is not known"))
                .with_hint("Compressions of a file are none, gzip and zstd.")),
        }
    }

    /// By the ending of a file's name.
    pub(super) fn of_ending(path: &str) -> Compression {
        let ending = &path[inner(path).len()..];
        match ending.to_ascii_lowercase().as_str() {
            ".gz" | ".gzip" => Compression::Gzip,
            ".zst" | ".zstd" => Compression::Zstd,
            _ => Compression::None,
        }
    }

    /// By the first bytes of a file.
    pub(super) fn of_magic(start: &[u8]) -> Compression {
        match start {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// The bytes of a file, decompressed. None: as its first bytes say. Data that do not decompress are an error of the kind
/// [`io::ErrorKind::InvalidData`], or `UnexpectedEof` where they end too early.
///
/// Errors: 58P01 and its kin if the file cannot be opened.
pub(super) fn open(path: &Path, compression: Option<Compression>) -> Result<Box<dyn Read + Send>> {
    let failed = |error: io::Error| io_error(path, &error);
    let mut file = Source::open(path)?.0.reader().map_err(failed)?;
    let compression = match compression {
        Some(said) => said,
        None => {
            let mut start = Vec::new();
            (&mut file).take(4).read_to_end(&mut start).map_err(failed)?;
            file.rewind().map_err(failed)?;
            Compression::of_magic(&start)
        }
    };
    decoder(file, compression).map_err(failed)
}

/// Whether a file is compressed, as it is said or its first bytes say.
pub(super) fn is_compressed(path: &Path, said: Option<Compression>) -> Result<bool> {
    let failed = |error: io::Error| io_error(path, &error);
    if let Some(said) = said {
        return Ok(said != Compression::None);
    }
    let mut start = Vec::new();
    let file = Source::open(path)?.0.reader().map_err(failed)?;
    file.take(4).read_to_end(&mut start).map_err(failed)?;
    Ok(Compression::of_magic(&start) != Compression::None)
}

/// Bytes, decompressed.
pub(super) fn decoder(bytes: impl Read + Send + 'static, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(bytes),
        Compression::Gzip => Box::new(Decoded(MultiGzDecoder::new(bytes))),
        Compression::Zstd => {
            let mut decoder = zstd::Decoder::new(bytes)?;
            decoder.window_log_max(ZSTD_WINDOW_MAX)?;
            Box::new(Decoded(decoder))
        }
    })
}

/// How a file is to be compressed, with the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Packing {
    /// Not at all.
    #[default]
    None,
    /// gzip, from 0 to 9.
    Gzip(u32),
    /// zstd, from 1 to 22.
    Zstd(i32),
}

impl Packing {
    /// With the level that is taken where none is said.
    pub(super) fn of(compression: Compression) -> Packing {
        match compression {
            Compression::None => Packing::None,
            Compression::Gzip => Packing::Gzip(GZIP_LEVEL),
            Compression::Zstd => Packing::Zstd(ZSTD_LEVEL),
        }
    }

    /// What a file's name ends with.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Packing::None => "",
            Packing::Gzip(_) => ".gz",
            Packing::Zstd(_) => ".zst",
        }
    }
}

/// Bytes on their way into a file, compressed. [`Encoder::finish`] has to be called.
pub(super) enum Encoder<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Encoder<W> {
    pub(super) fn new(output: W, packing: Packing) -> io::Result<Self> {
        Ok(match packing {
            Packing::None => Encoder::Plain(output),
            Packing::Gzip(level) => Encoder::Gzip(GzEncoder::new(output, flate2::Compression::new(level))),
            Packing::Zstd(level) => Encoder::Zstd(zstd::Encoder::new(output, level)?),
        })
    }

    /// Writes what is left of the compression; returns what takes the bytes.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Encoder::Plain(output) => Ok(output),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(output) => output.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Encoder::Plain(output) => output.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// The part of a path that names a format: without the ending of a compression.
pub(super) fn inner(path: &str) -> &str {
    let ends = |ending: &str| path.len() > ending.len() && path.to_ascii_lowercase().ends_with(ending);
    [".gz", ".gzip", ".zst", ".zstd"].into_iter().find(|ending| ends(ending)).map_or(path, |ending| {
        // Endings are ASCII: they begin where a character does.
        &path[..path.len() - ending.len()]
    })
}

/// A decoder: what it finds wrong is wrong with the data.
struct Decoded<R>(R);

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::Other => io::Error::new(io::ErrorKind::InvalidData, error),
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], compression: Option<Compression>) -> io::Result<Vec<u8>> {
        let name = format!("multiloop-compressed-{}-{:?}", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a file can be written");
        let mut read = Vec::new();
        let outcome = open(&path, compression).expect("it is there").read_to_end(&mut read);
        let _ = std::fs::remove_file(path);
        outcome.map(|_| read)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).and_then(|()| encoder.finish()).expect("memory takes all")
    }

    #[test]
    fn several_members_are_one_file() {
        let zstd = |text: &[u8]| zstd::encode_all(text, 1).expect("memory takes all");
        assert_eq!(read(&[gzip(b"a,b\n"), gzip(b"1,2\n")].concat(), None).expect("it is whole"), b"a,b\n1,2\n");
        assert_eq!(read(&[zstd(b"a,b\n"), zstd(b"1,2\n")].concat(), None).expect("it is whole"), b"a,b\n1,2\n");
        for plain in [&b""[..], b"\x1f", b"(\xb5/", b"plain"] {
            assert_eq!(read(plain, None).expect("it is as it is"), plain);
        }
        assert_eq!(read(&gzip(b"x"), Some(Compression::None)).expect("it is as it is"), gzip(b"x"));
    }

    #[test]
    fn what_is_broken_is_bad_data() {
        let text = b"something that is long enough to be cut in two".repeat(100);
        for whole in [gzip(&text), zstd::encode_all(&text[..], 1).expect("memory takes all")] {
            let cut = read(&whole[..whole.len() / 2], None).expect_err("it is cut");
            assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
            let mut garbled = whole.clone();
            garbled[10..20].fill(0xff);
            let kind = read(&garbled, None).expect_err("it is garbled").kind();
            assert!(matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof), "{kind:?}");
        }
        assert_eq!(
            read(b"longer than a header of gzip", Some(Compression::Gzip)).expect_err("no").kind(),
            io::ErrorKind::InvalidData
        );
    }

    #[test]
    fn names() {
        assert_eq!(inner("a/b.json.gz"), "a/b.json");
        assert_eq!(inner("é.CSV.ZST"), "é.CSV");
        assert_eq!(inner("b.csv"), "b.csv");
        assert_eq!(Compression::of_ending("é.CSV.ZST"), Compression::Zstd);
        assert_eq!(Compression::of_ending("a.gz.csv"), Compression::None);
        assert_eq!(Compression::named("GZIP").expect("it is one"), Some(Compression::Gzip));
        assert_eq!(Compression::named("auto").expect("it is one"), None);
        assert_eq!(Compression::named("rar").expect_err("it is none").sqlstate(), "22023");
    }
}
