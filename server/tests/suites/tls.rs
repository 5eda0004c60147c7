//! Encrypted connections: rustls as a client, a driver over it, and those who would rather not encrypt.

use super::client::{Client, PATIENCE, Running, Script};
use multiloop::{Engine, Roles};
use multiloop_server::{Error, Options, Server, Tls};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_postgres::NoTls;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates").join(name)
}

fn tls() -> Option<Tls> {
    Some(Tls { certificate: file("server.pem"), key: file("server.key") })
}

/// What a client needs that trusts the tests' authority.
fn connector() -> TlsConnector {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_file(file("authority.pem")).expect("it is a certificate");
    roots.add(authority).expect("it may sign");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("the provider has them");
    TlsConnector::from(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await.expect("it does not take so long") })
}

#[test]
fn a_driver_encrypts() {
    let roles = Roles::in_memory().expect("there is randomness");
    roles.set_password("root", "word", true).expect("a role can be made");
    let engine = Engine::builder().threads(2).roles(Arc::new(roles)).build().expect("an engine starts");
    let server = Running::over(engine, |options| (options.tls, options.require_tls) = (tls(), true));
    block_on(async {
        let mut stream = TcpStream::connect(server.address).await.expect("it listens");
        stream.write_all(&SSL_REQUEST).await.expect("it takes it");
        assert_eq!(stream.read_u8().await.ok(), Some(b'S'));
        let name = ServerName::try_from("localhost").expect("it is a name");
        let stream = connector().connect(name, stream).await.expect("they agree");
        let mut config = tokio_postgres::Config::new();
        config.user("root").password("word").dbname("d");
        let (client, connection) = config.connect_raw(stream, NoTls).await.expect("it is let in");
        tokio::spawn(connection);
        let row = client.query_one("SELECT $1::int + 1", &[&41_i32]).await.expect("it runs");
        assert_eq!(row.get::<_, i32>(0), 42);
        let long = client.query_one("SELECT repeat('x', 300000)", &[]).await.expect("it runs");
        assert_eq!(long.get::<_, String>(0).len(), 300_000);
    });
}

#[test]
fn who_does_not_encrypt_is_refused_where_all_must() {
    let server = Running::with(|options| (options.tls, options.require_tls) = (tls(), true));
    let mut client = Client::connect(server.address);
    client.startup(&[("user", "u")]);
    let error = client.message().expect("an answer");
    assert_eq!((error.field('S').as_deref(), error.field('C').as_deref()), (Some("FATAL"), Some("28000")));
    assert_eq!(client.message(), None);
    // Asked for GSSAPI, it says no, and means it.
    let mut client = Client::connect(server.address);
    client.packet(&((1234u32 << 16) | 5680).to_be_bytes());
    let mut answer = [0];
    std::io::Read::read_exact(&mut client.stream, &mut answer).expect("an answer of one byte");
    assert_eq!(answer, *b"N");
    client.startup(&[("user", "u")]);
    assert_eq!(client.message().and_then(|error| error.field('C')).as_deref(), Some("28000"));
    // Where nobody must, both are let in.
    let server = Running::with(|options| options.tls = tls());
    assert_eq!(server.client().rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn what_comes_in_front_of_the_handshake_cuts_off() {
    let server = Running::with(|options| options.tls = tls());
    // A statement in clear text, sent at once with the request, must not be read as if it had come encrypted.
    let mut client = Client::connect(server.address);
    let startup = b"\0\0\0\x10\0\x03\0\0user\0u\0\0";
    client.raw(&[SSL_REQUEST.as_slice(), startup].concat());
    let error = client.message().expect("an answer");
    assert_eq!((error.kind, error.field('C').as_deref()), ('E', Some("08P01")));
    assert_eq!(client.message(), None);
    // What is no handshake ends it, and nobody else.
    let mut client = Client::connect(server.address);
    client.raw(&SSL_REQUEST);
    let mut answer = [0];
    std::io::Read::read_exact(&mut client.stream, &mut answer).expect("an answer of one byte");
    assert_eq!(answer, *b"S");
    client.send(Script::new().query("SELECT 1"));
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut client.stream, &mut rest);
    assert!(!rest.windows(8).any(|window| window == b"SELECT 1"), "{rest:?}");
    assert_eq!(server.client().rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn a_client_that_does_not_know_the_authority_leaves() {
    let server = Running::with(|options| options.tls = tls());
    block_on(async {
        for (name, roots) in [("localhost", false), ("elsewhere", true)] {
            let mut stream = TcpStream::connect(server.address).await.expect("it listens");
            stream.write_all(&SSL_REQUEST).await.expect("it takes it");
            assert_eq!(stream.read_u8().await.ok(), Some(b'S'));
            let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
            let builder = builder.with_safe_default_protocol_versions().expect("the provider has them");
            let nobody = builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth();
            let connector = if roots { connector() } else { TlsConnector::from(Arc::new(nobody)) };
            let name = ServerName::try_from(name).expect("it is a name");
            assert!(connector.connect(name, stream).await.is_err());
        }
    });
    assert_eq!(server.client().rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn certificates_that_are_none() {
    let bound = |certificate: PathBuf, key: PathBuf| {
        let listen = vec![([127, 0, 0, 1], 0).into()];
        let options = Options { listen, tls: Some(Tls { certificate, key }), ..Options::default() };
        let engine = Engine::builder().threads(1).build().expect("an engine starts");
        block_on(Server::bind(engine, options)).map(drop)
    };
    assert!(bound(file("server.pem"), file("server.key")).is_ok());
    for (certificate, key) in [
        ("nothing.pem", "server.key"),
        ("server.pem", "nothing.key"),
        ("server.key", "server.key"),
        ("server.pem", "server.pem"),
        ("authority.pem", "server.key"),
    ] {
        let refused = bound(file(certificate), file(key));
        assert!(matches!(refused, Err(Error::Certificate { .. })), "{certificate}, {key}: {refused:?}");
    }
}
