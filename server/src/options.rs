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
    /// Bytes of one message; a longer one ends its connection (08P01).
    pub message_bytes: usize,
    /// Prepared statements, and portals, of one session; one more gets 53400.
    pub prepared: usize,
    /// How long a client may take to say who it is.
    pub authentication_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 100,
            message_bytes: 256 << 20,
            prepared: 10_000,
            authentication_timeout: Duration::from_secs(60),
        }
    }
}

/// Settings of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Addresses to listen on; port 0 is any that is free.
    pub listen: Vec<SocketAddr>,
    /// A Unix socket to listen on as well; in a folder it gets the name that clients look for.
    pub unix: Option<PathBuf>,
    /// Who is let in without a password.
    pub trust: Trust,
    /// What clients may take.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            listen: vec![SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT)],
            unix: None,
            trust: Trust::default(),
            limits: Limits::default(),
        }
    }
}
