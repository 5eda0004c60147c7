//! TLS: a certificate and a key from files, and a stream that may become an encrypted one.

use crate::error::{Error, Result};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// What clients of other protocols do not ask for, so that nobody can send them here.
const ALPN: &[u8] = b"postgresql";

/// What encrypts connections: TLS 1.2 and 1.3, with a certificate and its key in PEM files.
///
/// Errors: a file that cannot be read, or is none, or does not fit the other.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor> {
    let wrong = |path: &Path, why: String| Error::Certificate { path: PathBuf::from(path), why };
    let read = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
    let chain: Vec<CertificateDer<'static>> = read.map_err(|error| wrong(certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "there is no certificate in it".to_owned()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| wrong(certificate, error.to_string()))?.with_no_client_auth();
    let config = builder.with_single_cert(chain, private);
    let mut config = config.map_err(|error| wrong(certificate, error.to_string()))?;
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A stream, as it is or encrypted.
pub(crate) enum Carrier<S> {
    Plain(S),
    Encrypted(Box<TlsStream<S>>),
    /// A handshake has failed.
    Gone,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Carrier<S> {
    /// Encrypts what passes from now on.
    pub(crate) async fn encrypt(&mut self, acceptor: &TlsAcceptor) -> io::Result<()> {
        let Carrier::Plain(stream) = std::mem::replace(self, Carrier::Gone) else {
            return Err(io::Error::other("a stream is encrypted once"));
        };
        *self = Carrier::Encrypted(Box::new(acceptor.accept(stream).await?));
        Ok(())
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        matches!(self, Carrier::Encrypted(_))
    }
}

fn gone<T>() -> Poll<io::Result<T>> {
    Poll::Ready(Err(io::ErrorKind::NotConnected.into()))
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Carrier<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Carrier::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Carrier::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
            Carrier::Gone => gone(),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Carrier<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Carrier::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Carrier::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
            Carrier::Gone => gone(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Carrier::Plain(stream) => Pin::new(stream).poll_flush(context),
            Carrier::Encrypted(stream) => Pin::new(stream).poll_flush(context),
            Carrier::Gone => gone(),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Carrier::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Carrier::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
            Carrier::Gone => gone(),
        }
    }
}
