//! What watches a server: `GET /metrics` for Prometheus and `GET /health` for whoever balances loads, on a port of their own. As
//! little of HTTP/1.1 as these need: one request a connection.

use crate::shared::{Phase, Shared};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Bytes that a request may have.
const REQUEST_BYTES_MAX: usize = 8 << 10;

/// How long a request, and its answer, may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Requests at once.
const REQUESTS_MAX: usize = 16;

/// How long nobody is let in when the system has no more sockets.
const RETRY: Duration = Duration::from_millis(100);

/// Answers requests, for ever.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(REQUESTS_MAX));
    // They are never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            // Who is slow, or has left, gets no answer.
            let _ = tokio::time::timeout(PATIENCE, answer(stream, &shared)).await;
            drop(place);
        });
    }
}

async fn answer(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        if request.len() >= REQUEST_BYTES_MAX || stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let line = request.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let (status, body) = respond(&String::from_utf8_lossy(line), shared);
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
    stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await?;
    stream.shutdown().await
}

fn respond(line: &str, shared: &Shared) -> (&'static str, String) {
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
    let path = target.split('?').next().unwrap_or_default();
    match (method, path) {
        _ if !is_http => ("400 Bad Request", "this is no request\n".to_owned()),
        ("GET", "/metrics") => ("200 OK", shared.metrics.text(shared.engine.memory_used())),
        ("GET", "/health") if *shared.phase.borrow() == Phase::Running => ("200 OK", "ok\n".to_owned()),
        ("GET", "/health") => ("503 Service Unavailable", "shutting down\n".to_owned()),
        (_, "/metrics" | "/health") => ("405 Method Not Allowed", "only GET is known\n".to_owned()),
        _ => ("404 Not Found", "there are /metrics and /health\n".to_owned()),
    }
}
