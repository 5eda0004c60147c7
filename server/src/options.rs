//! Where a server listens, whom it trusts, and what it lets clients take.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// The port that PostgreSQL's clients ask without being told.
pub const PORT: u16 = 5432;

/// Who is let in without a password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Whoever reaches this machine's own addresses, or the Unix socket: any user of the machine. A server that trusts
    /// nobody else listens nowhere else.
    #[default]
    Loopback,
}

/// What clients may take. What is beyond is an error to them, never a lack to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sessions at once; one more gets 53300.
    pub connections: usize,
    /// Clients at once that have connected and not said who they are; one more takes the place of the one that has waited longest,
    /// which gets 53300.
    pub strangers: usize,
    /// Bytes of one message; a longer one ends its connection (08P01).
    pub message_bytes: usize,
    /// Bytes of the text of one statement, or of several that are sent together; a longer one gets 54000.
    pub statement_bytes: usize,
    /// Parameters of one statement; more get 54023. The protocol counts up to 65535.
    pub parameters: usize,
    /// Bytes that one statement may hold, its result among them, within the engine's limit; more get 53200.
    pub statement_memory: usize,
    /// Prepared statements, portals and cursors, each, of one session; one more gets 53400.
    pub prepared: usize,
    /// How long a client may take to say who it is.
    pub authentication_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 100,
            strangers: 100,
            message_bytes: 256 << 20,
            statement_bytes: 64 << 20,
            parameters: 65_535,
            statement_memory: usize::MAX,
            prepared: 10_000,
            authentication_timeout: Duration::from_secs(60),
        }
    }
}

/// Where a certificate and its key are: PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate, and those between it and the one that clients know.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Settings of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Addresses to listen on; port 0 is any that is free.
    pub listen: Vec<SocketAddr>,
    /// A Unix socket to listen on as well; in a folder it gets the name that clients look for.
    pub unix: Option<PathBuf>,
    /// Who is let in without a password, where the engine has no roles; with roles everybody needs one.
    pub trust: Trust,
    /// What encrypts connections; without it none is.
    pub tls: Option<Tls>,
    /// Whether clients that do not encrypt are refused; those on the Unix socket need not.
    pub require_tls: bool,
    /// Whether it may listen beyond loopback without TLS: passwords are safe then, what is asked and answered is not.
    pub insecure: bool,
    /// Folders of files that statements may read and write, those below them as well; without any, none.
    pub files: Vec<PathBuf>,
    /// Where `/metrics` and `/health` are answered.
    pub metrics: Option<SocketAddr>,
    /// Statements that take longer are logged, with their plans.
    pub log_slow: Option<Duration>,
    /// What clients may take.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            listen: vec![SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT)],
            unix: None,
            trust: Trust::default(),
            tls: None,
            require_tls: false,
            insecure: false,
            files: Vec::new(),
            metrics: None,
            log_slow: None,
            limits: Limits::default(),
        }
    }
}
