//! Why a server does not start. What goes wrong later is told to the client that it happens to.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Others could reach it, and there are no roles.
    #[error(
        "{0} can be reached from other machines, and anybody would be let in: without roles (--roles) the server \
         listens on loopback addresses (127.0.0.1, ::1) and Unix sockets alone"
    )]
    NotLoopback(SocketAddr),
    /// Others could reach it, and read what passes.
    #[error(
        "{0} can be reached from other machines, and nothing would be encrypted: give it a certificate (--tls-cert, \
         --tls-key), or say that the network is safe (--insecure)"
    )]
    NotEncrypted(SocketAddr),
    /// Clients are to encrypt what they cannot.
    #[error("clients cannot be asked to encrypt without a certificate (--tls-cert, --tls-key)")]
    NoCertificate,
    /// A certificate or a key is not to be had.
    #[error("{}: {why}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another program listens there.
    #[error("{0} is taken: another server listens there; stop it, or listen on another port")]
    Taken(String),
    /// The system does not let it listen there.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// An address, or the path of a socket.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// There is a file where the Unix socket should be.
    #[error("{0} is not a socket, and is left alone")]
    NotSocket(PathBuf),
    /// It would listen nowhere.
    #[error("there is no address to listen on")]
    Nowhere,
    /// The system does not give what every server needs.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
