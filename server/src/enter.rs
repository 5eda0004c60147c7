//! How a client enters: what it asks for first, TLS, who it is and how it proves that; then its connection serves it.
//!
//! With roles in the engine everybody proves that they know a password, wherever they come from, and never in clear text.
//! Without, whoever reaches the server is let in: it listens on loopback alone then.

use crate::channel::{Channel, PARTING};
use crate::connection::{Connection, left};
use crate::conversation::{Bounds, Conversation};
use crate::engine::Session;
use crate::fault::{Fault, Result};
use crate::record::Record;
use crate::scram::{Exchange, MECHANISM};
use crate::shared::{Phase, Shared};
use crate::strangers::Stranger;
use crate::wire::backend;
use crate::wire::startup::{Startup, VERSION, sasl_initial};
use bytes::Bytes;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

/// Bytes of a message by which a client proves who it is, as in PostgreSQL.
const PROOF_BYTES_MAX: usize = 65_535;

/// What a client asks for when it connects.
struct Asked {
    minor: u32,
    parameters: Vec<(String, String)>,
    user: String,
}

/// Serves a client until it leaves. `address` is None of a Unix socket.
pub(crate) async fn serve<S>(stream: S, address: Option<SocketAddr>, shared: Arc<Shared>, stranger: Stranger)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    shared.metrics.connections.add(1);
    let mut channel = Channel::new(stream, Arc::clone(&shared.metrics));
    let mut phase = shared.phase.subscribe();
    let started = tokio::select! {
        started = tokio::time::timeout(shared.limits.authentication_timeout, start(&mut channel, address, &shared)) => {
            started
        }
        () = left(&mut phase) => return,
        () = stranger.sent_away() => return send_away(&mut channel, address, &shared).await,
    };
    drop(stranger);
    let client = address.map_or_else(|| "unix socket".to_owned(), |address| address.to_string());
    let (mut connection, user) = match started {
        Ok(Ok(Some(connection))) => connection,
        // Who does not say who they are in time, or leaves, is no session.
        Ok(Ok(None) | Err(_)) => return,
        Err(_) => {
            shared.metrics.refused.add(1);
            tracing::warn!(client, "canceling authentication due to timeout");
            return;
        }
    };
    let (process, began, is_encrypted) = (connection.process(), Instant::now(), channel.stream.is_encrypted());
    tracing::info!(process, user, client, is_encrypted, "client entered");
    shared.metrics.sessions.add(1);
    let _counted = Counted(&shared);
    let running = connection.running();
    let ended = async {
        running.terminated().await;
        tokio::time::sleep(PARTING).await;
    };
    tokio::select! {
        // A client that cannot be written to has left.
        _ = connection.run(&mut channel, &shared) => {}
        () = ended => {}
    }
    tracing::info!(process, user, client, seconds = began.elapsed().as_secs_f64(), "client left");
}

/// Tells a client that others need its place before it has said who it is.
async fn send_away<S>(channel: &mut Channel<S>, address: Option<SocketAddr>, shared: &Shared)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let fault = Fault::fatal("53300", "too many clients are connecting: this one has not said who it is for too long");
    shared.metrics.refused.add(1);
    shared.metrics.failed(fault.code, None);
    let client = address.map(|address| address.to_string());
    tracing::warn!(client, code = fault.code, "client refused: {}", fault.message);
    channel.part(&mut Vec::new(), &fault).await;
}

/// A session among those that are counted, until it is dropped, however it ends.
struct Counted<'a>(&'a Shared);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.metrics.sessions.take(1);
    }
}

/// Reads who the client is, and has it prove that; None if it wants no session, or gets none.
async fn start<S>(
    channel: &mut Channel<S>,
    address: Option<SocketAddr>,
    shared: &Arc<Shared>,
) -> io::Result<Option<(Connection, String)>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut out = Vec::new();
    let entered = match asked(channel, address, shared).await? {
        Ok(None) => return Ok(None),
        Ok(Some(asked)) => match admit(channel, &asked, shared).await? {
            Ok(()) => begin(shared, address, &asked, &mut out).map(|connection| (connection, asked.user)),
            Err(fault) => Err(fault),
        },
        Err(fault) => Err(fault),
    };
    match entered {
        Ok(entered) => {
            channel.write(&mut out).await?;
            Ok(Some(entered))
        }
        Err(fault) => {
            shared.metrics.refused.add(1);
            shared.metrics.failed(fault.code, None);
            let client = address.map(|address| address.to_string());
            tracing::warn!(client, code = fault.code, "client refused: {}", fault.message);
            channel.part(&mut out, &fault).await;
            Ok(None)
        }
    }
}

/// Reads what the client asks for, and encrypts what passes if it asks for that; None if it wants no session.
async fn asked<S>(
    channel: &mut Channel<S>,
    address: Option<SocketAddr>,
    shared: &Arc<Shared>,
) -> io::Result<Result<Option<Asked>>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // Each kind of encryption may be asked for once.
    for _ in 0..3 {
        let Some(packet) = channel.packet().await? else { return Ok(Ok(None)) };
        let startup = match Startup::read(packet) {
            Ok(startup) => startup,
            Err(fault) => return Ok(Err(fault)),
        };
        match startup {
            Startup::Ssl | Startup::Gss => {
                let acceptor = shared.tls.as_ref().filter(|_| address.is_some() && !channel.stream.is_encrypted());
                let Some(acceptor) = acceptor.filter(|_| startup == Startup::Ssl) else {
                    channel.stream.write_all(b"N").await?;
                    channel.stream.flush().await?;
                    continue;
                };
                // Somebody between may have put it there, to be read as if it had come encrypted.
                if !channel.input.is_empty() {
                    return Ok(Err(Fault::fatal("08P01", "received unencrypted data after SSL request")));
                }
                channel.stream.write_all(b"S").await?;
                channel.stream.encrypt(acceptor).await?;
            }
            Startup::Cancel { process, secret } => {
                shared.keys.cancel(process, secret);
                return Ok(Ok(None));
            }
            Startup::Session { minor, parameters } => {
                if shared.require_tls && address.is_some() && !channel.stream.is_encrypted() {
                    let fault = Fault::fatal("28000", "this server takes encrypted connections only");
                    return Ok(Err(fault.with_hint("Connect with sslmode=require, or verify-full.")));
                }
                return Ok(read(minor, parameters).map(Some));
            }
        }
    }
    Ok(Err(Fault::fatal("08P01", "too many requests for encryption")))
}

fn read(minor: u32, parameters: Vec<(String, String)>) -> Result<Asked> {
    let value = |wanted: &str| value_of(&parameters, wanted);
    let user = value("user").filter(|user| !user.is_empty()).map(str::to_owned);
    let user = user.ok_or_else(|| Fault::fatal("28000", "no PostgreSQL user name specified in startup packet"))?;
    if !matches!(value("replication").unwrap_or("false"), "false" | "off" | "no" | "0") {
        return Err(Fault::fatal("0A000", "replication is not supported"));
    }
    Ok(Asked { minor, parameters, user })
}

fn value_of<'a>(parameters: &'a [(String, String)], wanted: &str) -> Option<&'a str> {
    parameters.iter().rfind(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
}

/// Has the client prove who it is, if there are roles.
async fn admit<S>(channel: &mut Channel<S>, asked: &Asked, shared: &Shared) -> io::Result<Result<()>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Some(roles) = shared.engine.roles() else { return Ok(Ok(())) };
    let mut out = Vec::new();
    negotiate(asked, &mut out);
    backend::sasl(&mut out, MECHANISM);
    channel.write(&mut out).await?;
    let Some(body) = proof(channel).await? else { return Ok(Err(gone())) };
    let first = body.and_then(sasl_initial).and_then(|(mechanism, first)| match mechanism.as_str() {
        MECHANISM => said(&first),
        _ => Err(Fault::fatal("08P01", "client selected an invalid SASL authentication mechanism")),
    });
    let begun = first.and_then(|first| Exchange::begin(&first, roles.verifier(&asked.user)));
    let (exchange, answer) = match begun {
        Ok(begun) => begun,
        Err(fault) => return Ok(Err(fault.into_fatal())),
    };
    backend::sasl_continue(&mut out, &answer);
    channel.write(&mut out).await?;
    let Some(body) = proof(channel).await? else { return Ok(Err(gone())) };
    Ok(match body.and_then(|body| said(&body)).and_then(|last| exchange.finish(&last)) {
        Ok(Some(answer)) if roles.may_enter(&asked.user) => {
            backend::sasl_final(&mut out, &answer);
            channel.write(&mut out).await?;
            Ok(())
        }
        Ok(_) => {
            let message = format!("password authentication failed for user \"{}\"", asked.user);
            Err(Fault::fatal("28P01", message))
        }
        Err(fault) => Err(fault.into_fatal()),
    })
}

fn gone() -> Box<Fault> {
    Fault::fatal("08006", "connection to client lost")
}

/// The next message, which has to be a part of a proof; None if the client has left.
async fn proof<S>(channel: &mut Channel<S>) -> io::Result<Option<Result<Bytes>>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match channel.message(PROOF_BYTES_MAX) {
            Ok(Some((b'p', body))) => return Ok(Some(Ok(body))),
            Ok(Some((kind, _))) => {
                let message = format!("expected SASL response, got message type {kind}");
                return Ok(Some(Err(Fault::fatal("08P01", message))));
            }
            Ok(None) => {}
            Err(fault) => return Ok(Some(Err(fault))),
        }
        if !channel.read().await? {
            return Ok(None);
        }
    }
}

fn said(bytes: &[u8]) -> Result<String> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::fatal("08P01", "malformed SCRAM message"))?;
    Ok(text.to_owned())
}

/// Tells the client which version of the protocol is spoken, if it asks for another.
fn negotiate(asked: &Asked, out: &mut Vec<u8>) {
    let names = asked.parameters.iter().map(|(name, _)| name);
    let unknown: Vec<String> = names.filter(|name| name.starts_with("_pq_.")).cloned().collect();
    if asked.minor > 0 || !unknown.is_empty() {
        backend::negotiate_version(out, VERSION, &unknown);
    }
}

/// Makes the session that a client asks for, which has proven who it is.
fn begin(shared: &Arc<Shared>, address: Option<SocketAddr>, asked: &Asked, out: &mut Vec<u8>) -> Result<Connection> {
    if shared.engine.roles().is_none() {
        negotiate(asked, out);
    }
    if *shared.phase.borrow() != Phase::Running {
        return Err(Fault::fatal("57P03", "the database system is shutting down"));
    }
    let slot = Arc::clone(&shared.sessions).try_acquire_owned();
    let slot = slot.map_err(|_| Fault::fatal("53300", "sorry, too many clients already"))?;
    let (limits, user) = (&shared.limits, asked.user.as_str());
    let mut session = shared.engine.session();
    session.options.memory_limit = limits.statement_memory;
    session.options.names_max = limits.prepared;
    session.set_client(address);
    session.set_database(value_of(&asked.parameters, "database").unwrap_or(user));
    let key = shared.keys.enter(session.id() as i32);
    let key = key.map_err(|error| Fault::fatal("XX000", format!("no key for the connection: {error}")))?;
    let mut session = Session::new(session, user, Arc::clone(&shared.files), Arc::clone(&key.running));
    for (name, value) in &asked.parameters {
        if !matches!(name.as_str(), "user" | "database" | "replication" | "options") && !name.starts_with("_pq_.") {
            session.set_at_start(name, value)?;
        }
    }
    for (name, value) in command_line(value_of(&asked.parameters, "options").unwrap_or_default()) {
        session.set_at_start(&name, &value)?;
    }
    let bounds = Bounds { names: limits.prepared, text_bytes: limits.statement_bytes, parameters: limits.parameters };
    let record = Record::new(Arc::clone(&shared.metrics), shared.log_slow, key.process, user);
    let mut conversation = Box::new(Conversation::new(session, bounds, record));
    backend::authenticated(out);
    conversation.greet(key.process, key.secret, out);
    Ok(Connection::new(conversation, key, slot, shared.phase.subscribe()))
}

/// Parameters of the `options` that a client sends: `-c name=value` and `--name=value`; a backslash stands before a
/// blank that ends no word.
fn command_line(options: &str) -> Vec<(String, String)> {
    let (mut words, mut word, mut characters) = (Vec::new(), String::new(), options.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.extend(characters.next()),
            blank if blank.is_whitespace() => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    let (mut found, mut words) = (Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        let setting = match word.strip_prefix("-c").or_else(|| word.strip_prefix("--")) {
            Some("") => words.next(),
            Some(setting) => Some(setting.to_owned()),
            None => None,
        };
        if let Some((name, value)) = setting.as_deref().and_then(|setting| setting.split_once('=')) {
            found.push((name.replace('-', "_"), value.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::command_line;

    #[test]
    fn options_are_a_command_line() {
        let found = command_line("-c search_path=a\\ b -cwork_mem=1 --lock-timeout=5 -x y");
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("search_path", "a b"), ("work_mem", "1"), ("lock_timeout", "5")]);
        assert!(command_line("  -c \\").is_empty());
    }
}
