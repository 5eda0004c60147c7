//! `multiloop serve`: an engine for PostgreSQL's clients. docs/server.md has all options in one table.

use crate::card::{DEFAULT, device};
use crate::data::DataArguments;
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use multiloop::format::Format;
use multiloop::{DeviceUse, Engine, Roles, Session};
use multiloop_server::{Limits, Options, PORT, Server, Tls, serve_blocking};
use multiloop_tpch::generate;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Says something on the way to serving, to whoever still listens: a server goes on when its reader has left.
macro_rules! say {
    ($($word:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($word)*);
    }};
}

/// Serves PostgreSQL's clients. Tables are in memory, and end with the server unless a folder keeps them.
#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// Address to listen on, as 127.0.0.1:5432, localhost:5432 or 5432; may be given several times
    #[arg(long, value_name = "ADDR")]
    listen: Vec<String>,
    /// Unix socket to listen on as well; in a folder it gets the name that clients look for
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,
    /// File of the roles that may enter; everybody needs a password then. `multiloop role` makes the first
    #[arg(long, value_name = "FILE")]
    roles: Option<PathBuf>,
    /// Certificate for TLS, a PEM file, with those that it depends on
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Refuse clients that do not encrypt; those on the Unix socket need not
    #[arg(long, requires = "tls_cert")]
    require_tls: bool,
    /// Listen beyond this machine without TLS: what is asked and answered can be read on the way
    #[arg(long)]
    insecure: bool,
    /// Folder, or place of a store, whose files statements may read and write; may be given several times. Without it they reach
    /// none
    #[arg(long, value_name = "DIR")]
    files: Vec<PathBuf>,
    /// Sessions at once
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    max_connections: usize,
    /// Seconds that a client may take to enter
    #[arg(long, value_name = "S", default_value_t = Limits::default().authentication_timeout.as_secs())]
    authentication_timeout: u64,
    /// Bytes of one message from a client, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().message_bytes >> 20)]
    max_message: usize,
    /// Bytes of the text of one statement, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().statement_bytes >> 20)]
    max_statement: usize,
    /// Parameters of one statement
    #[arg(long, value_name = "N", default_value_t = Limits::default().parameters)]
    max_parameters: usize,
    /// Prepared statements, portals and cursors, each, of one session
    #[arg(long, value_name = "N", default_value_t = Limits::default().prepared)]
    max_prepared: usize,
    /// Memory that one statement may take, in MiB; the default is all that there is
    #[arg(long, value_name = "MIB")]
    statement_memory: Option<usize>,
    /// Address at which /metrics and /health are answered, as 127.0.0.1:9187
    #[arg(long, value_name = "ADDR")]
    metrics: Option<String>,
    /// Log statements that take longer than this many milliseconds, with their plans
    #[arg(long, value_name = "MS")]
    log_slow: Option<u64>,
    /// How to write the log, to standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    #[command(flatten)]
    kept: DataArguments,
    /// Make TPC-H's tables of this scale factor: 1 is about a gigabyte of text. Those that are kept stay as they are
    #[arg(long, value_name = "SF")]
    tpch: Option<f64>,
    /// Read the Parquet, CSV and Arrow files of a folder as tables, each named after its file. Those that are kept stay as they are
    #[arg(long, value_name = "DIR")]
    load: Option<PathBuf>,
    /// Worker threads; the default is one a core
    #[arg(long)]
    threads: Option<usize>,
    /// What statements run on: the processors or a card, whichever is better (auto), the processors alone (cpu), or cards (gpu)
    #[arg(long, value_name = "DEVICE", value_parser = device, default_value = DEFAULT)]
    device: DeviceUse,
    /// Memory that tables and statements may take, in MiB; the default is four fifths of the machine's
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// A line an event, for people.
    Text,
    /// An object of JSON an event.
    Json,
    /// Not at all.
    None,
}

/// Serves until the process is told to end.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<()> {
    log_as(arguments.log_format);
    let options = options(arguments)?;
    let mut builder = Engine::builder().device(arguments.device);
    if let Some(path) = &arguments.roles {
        let roles = Roles::open(path)?;
        if !roles.has_superuser() {
            let path = path.display();
            bail!("{path} has nobody who may enter and make roles; `multiloop role {path} NAME --superuser` makes one");
        }
        builder = builder.roles(Arc::new(roles));
    }
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(mebibytes) = arguments.memory_limit {
        builder = builder.memory_limit(mebibytes.saturating_mul(1 << 20));
    }
    let engine = arguments.kept.open(builder)?;
    if arguments.tpch.is_some() || arguments.load.is_some() {
        // While tables are made.
        engine.begin_to_open_cards();
    }
    let session = engine.session();
    // A port that is taken is no news for after the tables are made.
    serve_blocking(engine, options, |server| {
        fill(&session, arguments)?;
        greet(server);
        Ok(())
    })
}

/// Writes the log of this process to standard error.
fn log_as(format: LogFormat) {
    let builder = tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false);
    match format {
        LogFormat::Text => builder.with_ansi(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
        LogFormat::None => {}
    }
}

/// The server's settings.
fn options(arguments: &ServeArguments) -> Result<Options> {
    let mebibytes = |count: usize| count.saturating_mul(1 << 20);
    let mut options = Options { unix: arguments.unix.clone(), ..Options::default() };
    if !arguments.listen.is_empty() {
        options.listen = arguments.listen.iter().map(|text| address(text)).collect::<Result<_>>()?;
    }
    options.tls =
        arguments.tls_cert.clone().zip(arguments.tls_key.clone()).map(|(certificate, key)| Tls { certificate, key });
    (options.require_tls, options.insecure) = (arguments.require_tls, arguments.insecure);
    options.files.clone_from(&arguments.files);
    options.metrics = arguments.metrics.as_deref().map(address).transpose()?;
    options.log_slow = arguments.log_slow.map(Duration::from_millis);
    options.limits = Limits {
        connections: arguments.max_connections,
        strangers: Limits::default().strangers,
        message_bytes: mebibytes(arguments.max_message),
        statement_bytes: mebibytes(arguments.max_statement),
        parameters: arguments.max_parameters,
        statement_memory: arguments.statement_memory.map_or(usize::MAX, mebibytes),
        prepared: arguments.max_prepared,
        authentication_timeout: Duration::from_secs(arguments.authentication_timeout),
    };
    Ok(options)
}

/// Makes the tables that the arguments ask for.
fn fill(session: &Session, arguments: &ServeArguments) -> Result<()> {
    if let Some(scale_factor) = arguments.tpch {
        if !(scale_factor > 0.0 && scale_factor.is_finite()) {
            bail!("--tpch takes a scale factor above zero, as 0.1 or 1");
        }
        if arguments.kept.data.is_none() || !is_there(session, "lineitem")? {
            say!("making TPC-H's tables of scale factor {scale_factor}");
            generate(session, scale_factor, session.engine().threads(), &|_, _| {})?;
        }
    }
    match &arguments.load {
        Some(folder) => load(session, folder, arguments.kept.data.is_some()),
        None => Ok(()),
    }
}

/// Whether there is a table of a name.
fn is_there(session: &Session, name: &str) -> Result<bool> {
    Ok(session.query_scalar("SELECT to_regclass(quote_ident($1)) IS NOT NULL", [name])?)
}

/// Says how to connect.
fn greet(server: &Server) {
    say!("multiloop {} serves", env!("CARGO_PKG_VERSION"));
    for address in server.addresses() {
        say!("  psql -h {} -p {} -d multiloop", address.ip(), address.port());
    }
    if let Some(path) = server.unix() {
        say!("  {}", path.display());
    }
    if let Some(address) = server.metrics() {
        say!("  http://{address}/metrics and http://{address}/health");
    }
    say!("Ctrl-C ends it when what runs has ended, a second one at once.");
}

/// An address, a name with a port, or a port of this machine.
fn address(text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, PORT));
    }
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.with_context(|| format!("{text} is no address, as 127.0.0.1:5432 is"))
}

/// Reads the files of a folder whose endings name a format, in order of their names; with `keeps` those whose tables are not there.
fn load(session: &Session, folder: &Path, keeps: bool) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    let (mut count, mut names) = (0, std::collections::HashSet::new());
    for path in paths.iter().filter(|path| path.is_file()) {
        let Some((format, name)) = path.to_str().and_then(Format::of_path).zip(path.file_stem()) else { continue };
        let name = name.to_string_lossy().to_lowercase();
        if !names.insert(name.clone()) {
            bail!("{} would be a second table \"{name}\"", path.display());
        }
        count += 1;
        if keeps && is_there(session, &name)? {
            continue;
        }
        session.read(&name, path, &format).with_context(|| format!("loading {}", path.display()))?;
    }
    if count == 0 {
        bail!("{} has no Parquet, CSV or Arrow file", folder.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{address, load};
    use multiloop::Engine;

    #[test]
    fn addresses_as_people_write_them() {
        let shown = |text| address(text).map(|found| found.to_string()).unwrap_or_default();
        assert_eq!(shown("5433"), "127.0.0.1:5433");
        assert_eq!(shown("127.0.0.1:0"), "127.0.0.1:0");
        assert_eq!(shown("::1"), "[::1]:5432");
        assert_eq!(shown("no address"), "");
    }

    #[test]
    fn files_of_a_folder_are_tables() {
        let folder = std::env::temp_dir().join(format!("multiloop-load-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        std::fs::write(folder.join("Fruit.csv"), "name,price\napple,1\n").expect("a file can be written");
        std::fs::write(folder.join("notes.txt"), "no table").expect("a file can be written");
        let session = Engine::new().expect("an engine starts").session();
        let loaded = load(&session, &folder, false);
        std::fs::write(folder.join("fruit.tsv"), "name\tprice\n").expect("a file can be written");
        let twice = load(&session, &folder, false);
        std::fs::remove_dir_all(&folder).expect("a folder can be removed");
        loaded.expect("the file is read");
        assert!(session.sql("SELECT name FROM fruit").is_ok());
        assert!(twice.is_err_and(|error| error.to_string().contains("second table")));
    }
}
