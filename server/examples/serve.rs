//! A server over an engine of one's own: `cargo run -p multiloop-server --example serve`, then
//! `psql -h 127.0.0.1 -p 5433 -d fruit -c 'SELECT * FROM fruit'`.

use multiloop::Engine;
use multiloop_server::{Control, Options, Server};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new()?;
    let session = engine.session();
    session.sql("CREATE TABLE fruit (name text, price decimal(6,2))")?;
    session.sql("INSERT INTO fruit VALUES ('apple', 1.20), ('pear', 0.95)")?;

    let options = Options { listen: vec!["127.0.0.1:5433".parse()?], ..Options::default() };
    let server = Server::bind(engine, options).await?;
    println!("listening on {:?}", server.addresses());
    tokio::spawn(end_when_told(server.control()));

    // The program's own sessions go on beside those of clients.
    server.run().await;
    Ok(())
}

/// Waits for Ctrl-C, then lets what runs end.
async fn end_when_told(control: Control) {
    if tokio::signal::ctrl_c().await.is_ok() {
        control.drain();
    }
}
