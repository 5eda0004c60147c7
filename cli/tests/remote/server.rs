//! A server as tests want it: files by HTTP, and as much of S3's protocol as reading, listing and writing objects takes. It notes what
//! it is asked, and fails as it is told.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a file is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Manner {
    /// As it should be.
    #[default]
    Well,
    /// The connection ends within every answer.
    Cut,
    /// Nothing comes behind the head of an answer.
    Stalls,
    /// Fewer, or more, bytes than were asked for, of which it says that these are what was asked for.
    Short,
    Long,
    /// Another file every time.
    Changes,
    /// But whole.
    Whole,
    /// To nobody who asks only what it is like.
    Unseen,
    /// With this status.
    Status(u16),
    /// From another place, `/led/` and its name.
    Elsewhere,
    /// Without a tag: when it was written tells.
    Untagged,
    /// The second part of a file, and its end, are not taken.
    TakesOne,
    NeverDone,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) bytes: Vec<u8>,
    pub(crate) manner: Manner,
    version: u32,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, Kept>,
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    asked: Vec<String>,
    count: u32,
}

/// A server that runs as long as the test.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

/// What is asked.
struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    range: Option<(Option<u64>, Option<u64>)>,
    body: Vec<u8>,
}

impl Server {
    pub(crate) fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let server = Server { address: listener.local_addr().expect("it has one"), state: Arc::default() };
        let own = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || {
                    let _ = own.serve(stream);
                });
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub(crate) fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.put_so(path, bytes, Manner::Well);
    }

    pub(crate) fn put_so(&self, path: &str, bytes: impl Into<Vec<u8>>, manner: Manner) {
        let mut state = self.state();
        state.count += 1;
        let kept = Kept { bytes: bytes.into(), manner, version: state.count };
        state.files.insert(path.to_owned(), kept);
    }

    pub(crate) fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.state().files.get(path).map(|kept| kept.bytes.clone())
    }

    /// What has been asked since this was asked last: method, path, and range or query.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state().asked)
    }

    /// Whether some parts of a file lie about.
    pub(crate) fn has_parts(&self) -> bool {
        !self.state().uploads.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        while let Some(request) = read(&mut reader)? {
            let note = |what: &str| self.state().asked.push(format!("{} {}{what}", request.method, request.path));
            match (request.method.as_str(), request.range) {
                (_, Some((from, to))) => {
                    let text = |at: Option<u64>| at.map_or_else(String::new, |at| at.to_string());
                    note(&format!(" {}-{}", text(from), text(to)));
                }
                _ if request.query.contains_key("list-type") => note(" list"),
                _ if request.query.contains_key("uploads") => note(" begin"),
                _ => note(""),
            }
            let goes_on = match request.method.as_str() {
                "GET" if request.query.contains_key("list-type") => self.list(&mut stream, &request)?,
                "GET" | "HEAD" => self.give(&mut stream, &request)?,
                _ => self.take(&mut stream, &request)?,
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    fn give(&self, stream: &mut TcpStream, request: &Request) -> std::io::Result<bool> {
        let found = {
            let mut state = self.state();
            state.count += 1;
            let count = state.count;
            state.files.get_mut(&request.path).map(|kept| {
                if kept.manner == Manner::Changes && request.method == "GET" {
                    kept.version = count;
                }
                kept.clone()
            })
        };
        let is_head = request.method == "HEAD";
        let Some(Kept { bytes, manner, version }) = found else {
            // What follows the answer to a HEAD is read as the next answer.
            return answer(stream, 404, "", if is_head { b"" } else { b"no such key" });
        };
        match manner {
            Manner::Status(status) => return answer(stream, status, "", b""),
            Manner::Unseen if is_head => return answer(stream, 403, "", b""),
            Manner::Elsewhere => {
                return answer(stream, 302, &format!("Location: /led/{}\r\n", request.path), b"");
            }
            _ => {}
        }
        let size = bytes.len() as u64;
        let range = request.range.filter(|_| manner != Manner::Whole).map(|range| match range {
            (Some(from), to) => (from, to.map_or(size, |to| (to + 1).min(size))),
            (None, last) => (size.saturating_sub(last.unwrap_or(0)), size),
        });
        if range.is_some_and(|(from, to)| from >= to) {
            return answer(stream, 416, "", b"");
        }
        let (from, to) = range.unwrap_or((0, size));
        let mut body = bytes[from as usize..to as usize].to_vec();
        match manner {
            Manner::Short => body.truncate(body.len() / 2),
            Manner::Long => body.extend_from_slice(b"more than that"),
            _ => {}
        }
        let length = if is_head { bytes.len() } else { body.len() };
        let mut head = String::from("Last-Modified: Tue, 01 Jan 2030 00:00:00 GMT\r\n");
        if manner != Manner::Untagged {
            head.push_str(&format!("ETag: \"v{version}\"\r\n"));
        }
        let status = if range.is_some() { 206 } else { 200 };
        if range.is_some() {
            head.push_str(&format!("Content-Range: bytes {from}-{}/{size}\r\n", to - 1));
        }
        write!(stream, "HTTP/1.1 {status} X\r\n{head}Content-Length: {length}\r\n\r\n")?;
        if is_head {
            return Ok(true);
        }
        match manner {
            Manner::Cut => {
                stream.write_all(&body[..length / 2])?;
                return Ok(false);
            }
            Manner::Stalls => {
                stream.flush()?;
                std::thread::sleep(Duration::from_secs(60));
                return Ok(false);
            }
            _ => stream.write_all(&body)?,
        }
        Ok(true)
    }

    fn list(&self, stream: &mut TcpStream, request: &Request) -> std::io::Result<bool> {
        let empty = String::new();
        let prefix = format!("{}/{}", request.path, request.query.get("prefix").unwrap_or(&empty));
        let after = request.query.get("continuation-token").unwrap_or(&empty).clone();
        let mut entries = String::new();
        let mut rest = None;
        {
            let state = self.state();
            let found = state.files.iter().filter(|(path, _)| path.starts_with(&prefix));
            // Three at once, so that lists have several pages.
            for (number, (path, kept)) in found.filter(|(path, _)| **path > after).enumerate() {
                if number == 3 {
                    break;
                }
                let key = &path[request.path.len() + 1..];
                entries.push_str(&format!(
                    "<Contents><Key>{key}</Key><LastModified>2030-01-01T00:00:00.123Z</LastModified>\
                     <ETag>&quot;v{}&quot;</ETag><Size>{}</Size></Contents>",
                    kept.version,
                    kept.bytes.len()
                ));
                rest = Some(path.clone());
            }
            let more = rest
                .as_ref()
                .is_some_and(|last| state.files.keys().any(|path| path.starts_with(&prefix) && path > last));
            rest = rest.filter(|_| more);
        }
        let rest =
            rest.map_or_else(String::new, |last| format!("<NextContinuationToken>{last}</NextContinuationToken>"));
        let body = format!("<?xml version=\"1.0\"?><ListBucketResult>{entries}{rest}</ListBucketResult>");
        answer(stream, 200, "Content-Type: application/xml\r\n", body.as_bytes())
    }

    fn take(&self, stream: &mut TcpStream, request: &Request) -> std::io::Result<bool> {
        let manner = self.state().files.get(&request.path).map(|kept| kept.manner).unwrap_or_default();
        let upload = request.query.get("uploadId").cloned();
        let part = request.query.get("partNumber").and_then(|number| number.parse::<u32>().ok());
        match (request.method.as_str(), upload, part) {
            ("POST", None, _) if request.query.contains_key("uploads") => {
                let mut state = self.state();
                state.count += 1;
                let id = format!("u{}", state.count);
                state.uploads.insert(id.clone(), BTreeMap::new());
                drop(state);
                let body =
                    format!("<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>");
                answer(stream, 200, "", body.as_bytes())
            }
            ("PUT", Some(id), Some(part)) => {
                if manner == Manner::TakesOne && part > 1 {
                    return answer(stream, 403, "", b"no more");
                }
                if let Some(parts) = self.state().uploads.get_mut(&id) {
                    parts.insert(part, request.body.clone());
                }
                answer(stream, 200, &format!("ETag: \"p{part}\"\r\n"), b"")
            }
            ("POST", Some(id), _) => {
                if manner == Manner::NeverDone {
                    return answer(stream, 400, "", b"not so");
                }
                let parts = self.state().uploads.remove(&id).unwrap_or_default();
                self.put(&request.path, parts.into_values().flatten().collect::<Vec<u8>>());
                let body = "<CompleteMultipartUploadResult><ETag>\"done\"</ETag></CompleteMultipartUploadResult>";
                answer(stream, 200, "", body.as_bytes())
            }
            ("DELETE", Some(id), _) => {
                self.state().uploads.remove(&id);
                answer(stream, 204, "", b"")
            }
            ("PUT", None, _) => {
                if let Manner::Status(status) = manner {
                    return answer(stream, status, "", b"");
                }
                self.put(&request.path, request.body.clone());
                answer(stream, 200, "ETag: \"put\"\r\n", b"")
            }
            _ => answer(stream, 405, "", b""),
        }
    }
}

fn answer(stream: &mut TcpStream, status: u16, head: &str, body: &[u8]) -> std::io::Result<bool> {
    write!(stream, "HTTP/1.1 {status} X\r\n{head}Content-Length: {}\r\n\r\n", body.len())?;
    stream.write_all(body)?;
    Ok(true)
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut range) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "range" => {
                let (from, to) = value.trim_start_matches("bytes=").split_once('-').unwrap_or_default();
                range = Some((from.parse().ok(), to.parse().ok()));
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    };
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect();
    Ok(Some(Request { method, path: decoded(path.trim_start_matches('/')), query, range, body }))
}

/// A text without percent signs before bytes in hexadecimal.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.filter(|_| byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
