//! A server: it listens, lets clients in, and goes down in order.

use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::options::{Options, PORT, Trust};
use crate::shared::{Phase, Shared};
use crate::strangers::{Stranger, Strangers};
use crate::{enter, scrape, tls};
use multiloop::Engine;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;

/// How long nobody is let in when the system has no more sockets.
const RETRY: Duration = Duration::from_millis(100);

/// A server that listens. Clients are let in by [`Server::run`].
pub struct Server {
    tcp: Vec<TcpListener>,
    unix: Option<UnixSocket>,
    metrics: Option<TcpListener>,
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
}

/// Takes a server down, from anywhere.
#[derive(Clone)]
pub struct Control(Arc<Shared>);

impl Control {
    /// Lets nobody in any more, ends idle sessions (57P01), and the others when what they run has ended.
    pub fn drain(&self) {
        self.0.phase.send_if_modified(|phase| {
            let is_running = *phase == Phase::Running;
            if is_running {
                *phase = Phase::Draining;
            }
            is_running
        });
    }

    /// Ends all sessions now, and what they run.
    pub fn end(&self) {
        self.0.phase.send_replace(Phase::Ended);
    }
}

/// A Unix socket; its file goes with it.
struct UnixSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A client that has connected, and its place among those that have not said who they are.
enum Accepted {
    Tcp(TcpStream, SocketAddr, Stranger),
    Unix(UnixStream, Stranger),
}

impl Server {
    /// Listens where the options say.
    ///
    /// Errors: an address that other machines can reach, which needs roles and TLS; one that is taken; a certificate that
    /// is none; what the system says.
    pub async fn bind(engine: Engine, options: Options) -> Result<Server> {
        let Trust::Loopback = options.trust;
        if let Some(address) = options.listen.iter().find(|address| !address.ip().is_loopback()) {
            if engine.roles().is_none() {
                return Err(Error::NotLoopback(*address));
            }
            if options.tls.is_none() && !options.insecure {
                return Err(Error::NotEncrypted(*address));
            }
        }
        if options.require_tls && options.tls.is_none() {
            return Err(Error::NoCertificate);
        }
        let acceptor = options.tls.as_ref().map(|files| tls::acceptor(&files.certificate, &files.key)).transpose()?;
        if options.listen.is_empty() && options.unix.is_none() {
            return Err(Error::Nowhere);
        }
        let mut tcp = Vec::new();
        for address in &options.listen {
            tcp.push(listen(*address).await?);
        }
        let metrics = match options.metrics {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let addresses = tcp.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>()?;
        let port = addresses.first().map_or(PORT, SocketAddr::port);
        let unix = options.unix.map(|path| bind_unix(path, port)).transpose()?;
        let shared = Shared {
            engine,
            sessions: Arc::new(Semaphore::new(options.limits.connections.min(Semaphore::MAX_PERMITS))),
            limits: options.limits,
            metrics: Arc::<Metrics>::default(),
            tls: acceptor,
            require_tls: options.require_tls,
            files: options.files.into(),
            log_slow: options.log_slow,
            keys: Arc::default(),
            phase: watch::Sender::new(Phase::Running),
        };
        Ok(Server { tcp, unix, metrics, addresses, shared: Arc::new(shared) })
    }

    /// The addresses that it listens on, with the ports that it got.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The Unix socket that it listens on.
    pub fn unix(&self) -> Option<&Path> {
        self.unix.as_ref().map(|socket| socket.path.as_path())
    }

    /// The address at which `/metrics` and `/health` are answered.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// A handle to take it down by.
    pub fn control(&self) -> Control {
        Control(Arc::clone(&self.shared))
    }

    /// Lets clients in and serves them, until it is taken down and the last one is gone.
    pub async fn run(self) {
        let Server { tcp, unix, metrics, shared, .. } = self;
        let mut watched = JoinSet::new();
        metrics.into_iter().for_each(|listener| drop(watched.spawn(scrape::serve(listener, Arc::clone(&shared)))));
        let strangers = Strangers::new(shared.limits.strangers);
        let (sender, mut accepted) = mpsc::channel(1);
        let mut listeners = JoinSet::new();
        for listener in tcp {
            listeners.spawn(accept_tcp(listener, sender.clone(), Arc::clone(&strangers)));
        }
        if let Some(socket) = unix {
            listeners.spawn(accept_unix(socket, sender.clone(), strangers));
        }
        let mut connections = JoinSet::new();
        let mut phase = shared.phase.subscribe();
        loop {
            let now = *phase.borrow_and_update();
            if now != Phase::Running {
                listeners.abort_all();
            }
            if now == Phase::Ended || (now == Phase::Draining && connections.is_empty()) {
                break;
            }
            tokio::select! {
                // Also of one that goes down: who has come in just before has to leave, not to wait here unheard.
                Some(client) = accepted.recv() => {
                    let shared = Arc::clone(&shared);
                    match client {
                        Accepted::Tcp(stream, address, stranger) => {
                            connections.spawn(enter::serve(stream, Some(address), shared, stranger))
                        }
                        Accepted::Unix(stream, stranger) => {
                            connections.spawn(enter::serve(stream, None, shared, stranger))
                        }
                    };
                }
                Some(_) = connections.join_next() => {}
                _ = phase.changed() => {}
            }
        }
        shared.keys.close_all();
        connections.shutdown().await;
        listeners.shutdown().await;
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| listen_error(address.to_string(), error))
}

fn listen_error(address: String, source: io::Error) -> Error {
    if source.kind() == io::ErrorKind::AddrInUse { Error::Taken(address) } else { Error::Listen { address, source } }
}

/// Listens on a Unix socket. A file that a server left behind is in nobody's way.
fn bind_unix(path: PathBuf, port: u16) -> Result<UnixSocket> {
    let path = if path.is_dir() { path.join(format!(".s.PGSQL.{port}")) } else { path };
    if let Ok(metadata) = std::fs::symlink_metadata(&path) {
        if !metadata.file_type().is_socket() {
            return Err(Error::NotSocket(path));
        }
        if std::os::unix::net::UnixStream::connect(&path).is_ok() {
            return Err(Error::Taken(path.display().to_string()));
        }
        std::fs::remove_file(&path)?;
    }
    let listener = UnixListener::bind(&path).map_err(|source| listen_error(path.display().to_string(), source))?;
    let socket = UnixSocket { listener, path };
    // Whoever may open it is let in.
    std::fs::set_permissions(&socket.path, std::fs::Permissions::from_mode(0o700))?;
    Ok(socket)
}

async fn accept_tcp(listener: TcpListener, accepted: mpsc::Sender<Accepted>, strangers: Arc<Strangers>) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Answers are written whole: nothing is won by waiting for more. Who cannot have it is served all the
                // same.
                let _ = stream.set_nodelay(true);
                let stranger = strangers.enter(Some(address)).await;
                if accepted.send(Accepted::Tcp(stream, address, stranger)).await.is_err() {
                    return;
                }
            }
            Err(_) => tokio::time::sleep(RETRY).await,
        }
    }
}

async fn accept_unix(socket: UnixSocket, accepted: mpsc::Sender<Accepted>, strangers: Arc<Strangers>) {
    loop {
        match socket.listener.accept().await {
            Ok((stream, _)) => {
                let stranger = strangers.enter(None).await;
                if accepted.send(Accepted::Unix(stream, stranger)).await.is_err() {
                    return;
                }
            }
            Err(_) => tokio::time::sleep(RETRY).await,
        }
    }
}
