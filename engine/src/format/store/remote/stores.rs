//! Stores, by what their objects' names begin with. Who we are, and where they are, the environment says, by the variables that the
//! stores' own programs have.

use super::super::Scheme;
use super::address::Address;
use super::fault;
use multiloop_exec::{Error, ErrorKind, Result};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use reqwest::redirect::Policy;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long a server may take to be reached, and, unless the environment says otherwise, to say more.
const CONNECT_TIME: Duration = Duration::from_secs(10);
const READ_TIME: Duration = Duration::from_secs(30);

/// The variable that says how long, in seconds.
const READ_TIME_VARIABLE: &str = "MULTILOOP_REMOTE_TIMEOUT";

/// What fails in a way that may pass is tried so many times more.
const RETRIES: usize = 4;

/// Where servers may lead elsewhere, at most.
const REDIRECTS: usize = 10;

/// Whether no server leads anywhere: see [`refuse_redirects`].
static REFUSES: AtomicBool = AtomicBool::new(false);

/// From now on no server leads to another place: where some sessions may reach some places alone, it could lead to others.
pub(crate) fn refuse_redirects() {
    REFUSES.store(true, Ordering::Relaxed);
}

/// The store of an object.
///
/// Errors: 22023 if the environment does not say enough of it.
pub(super) fn store_of(address: &Address) -> Result<Arc<dyn ObjectStore>> {
    static STORES: LazyLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = LazyLock::new(Mutex::default);
    if address.query.is_some() {
        // It is asked but once.
        return made(address);
    }
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(&address.root) {
        return Ok(Arc::clone(store));
    }
    let store = made(address)?;
    stores.insert(address.root.clone(), Arc::clone(&store));
    Ok(store)
}

fn made(address: &Address) -> Result<Arc<dyn ObjectStore>> {
    let (root, retries) = (&address.root, retries());
    let url = format!("{root}/");
    let store: object_store::Result<Arc<dyn ObjectStore>> = match address.scheme {
        Scheme::Http => {
            let url = address.query.as_ref().map_or_else(|| url.clone(), |query| format!("{url}?{query}"));
            let options = ClientOptions::new().with_allow_http(root.starts_with("http://"));
            let builder = HttpBuilder::new().with_url(url).with_client_options(options);
            builder.with_retry(retries).with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
        }
        Scheme::S3 => {
            let builder = AmazonS3Builder::from_env().with_url(url).with_retry(retries);
            builder.with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
        }
        Scheme::Google => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(url.replacen("gcs://", "gs://", 1));
            builder.with_retry(retries).with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
        }
        Scheme::Azure => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(url).with_retry(retries);
            builder.with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
        }
    };
    store.map_err(|error| {
        Error::new(ErrorKind::InvalidParameter, format!("could not use the store {root}: {}", fault::reason_of(&error)))
    })
}

fn read_time() -> Duration {
    let said = std::env::var(READ_TIME_VARIABLE).ok().and_then(|text| text.parse::<f64>().ok());
    let said = said.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    said.filter(|time| !time.is_zero()).unwrap_or(READ_TIME)
}

fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(5),
        ..BackoffConfig::default()
    };
    RetryConfig { backoff, max_retries: RETRIES, retry_timeout: 2 * read_time() }
}

/// Gives all stores the same connections.
#[derive(Clone, Copy, Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        static CLIENTS: [OnceLock<HttpClient>; 2] = [const { OnceLock::new() }; 2];
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
        let place = &CLIENTS[usize::from(allows_http)];
        if let Some(client) = place.get() {
            return Ok(client.clone());
        }
        let client = client(allows_http)
            .map_err(|error| object_store::Error::Generic { store: "HTTP", source: Box::new(error) })?;
        Ok(place.get_or_init(|| client).clone())
    }
}

fn client(allows_http: bool) -> reqwest::Result<HttpClient> {
    // Whoever has chosen one before has.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let follow = Policy::custom(|attempt| {
        if REFUSES.load(Ordering::Relaxed) {
            return attempt.stop();
        }
        if attempt.previous().len() > REDIRECTS {
            return attempt.error("it leads elsewhere too often");
        }
        attempt.follow()
    });
    let client = reqwest::Client::builder()
        .user_agent(concat!("multiloop/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIME)
        .read_timeout(read_time())
        .redirect(follow)
        .https_only(!allows_http)
        .build()?;
    Ok(HttpClient::new(client))
}
