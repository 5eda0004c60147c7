//! Clients of PostgreSQL that people have, each in one session with the program: they connect, reflect the schema, run
//! TPC-H by prepared statements, read and write every type, cancel, and more. What each does is a script of
//! `tests/clients/`; `tests/clients-install.sh` installs what they need.

mod driver;
mod program;
mod queries;

use program::Program;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// TPC-H's scale factor.
const SCALE_FACTOR: f64 = 0.01;

/// No session takes longer.
const PATIENCE: Duration = Duration::from_secs(300);

/// The folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("cli/ is in the root")
}

/// What `tests/clients-install.sh` has installed, below its folder.
fn installed(path: &str) -> PathBuf {
    std::env::var_os("MULTILOOP_CLIENTS").map_or_else(|| root().join("target/clients"), PathBuf::from).join(path)
}

/// Whether a client is there. Without it its test fails, unless the environment says that clients may be missing.
fn is_there(client: &str, found: bool) -> bool {
    let may_be_missing = std::env::var_os("MULTILOOP_WITHOUT_CLIENTS").is_some();
    assert!(
        found || may_be_missing,
        "{client} is not installed: tests/clients-install.sh does that; MULTILOOP_WITHOUT_CLIENTS=1 leaves it out"
    );
    if !found {
        println!("left out: {client} is not installed");
    }
    found
}

/// Whether a program can be run.
fn runs(program: impl AsRef<std::ffi::OsStr>, argument: &str) -> bool {
    Command::new(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|it| it.success())
}

/// Runs a client's script with the address of a program and the folder of TPC-H's queries; what it prints goes along
/// with the failure. `missing` are the parts that fail, since what they ask for is not there (docs/clients.md); one that works is to
/// be taken out.
fn session(command: &mut Command, missing: &[&str]) {
    let program = Program::serve(SCALE_FACTOR);
    let (host, port) = (program.address.ip().to_string(), program.address.port().to_string());
    command.args([&host, &port]).arg(queries::folder()).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the client starts");
    // Both pipes are read while it runs: a full one would stop it.
    let mut readers = Vec::new();
    let pipes: [Box<dyn std::io::Read + Send>; 2] =
        [Box::new(child.stdout.take().expect("it is piped")), Box::new(child.stderr.take().expect("it is piped"))];
    for mut pipe in pipes {
        readers.push(std::thread::spawn(move || {
            let mut text = Vec::new();
            // What could be read before a failure is still worth printing.
            let _ = pipe.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        }));
    }
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break Some(status);
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child can be ended");
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let said: String = readers.into_iter().map(|reader| reader.join().expect("it only reads")).collect();
    println!("{said}");
    let Some(status) = status else { panic!("it hangs: {said}") };
    let failed: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("FAILED ")).collect();
    assert_eq!(failed, missing, "{status}: {said}");
    assert!(status.success() || !missing.is_empty(), "{status}: {said}");
}

/// A script of `tests/clients/`.
fn script(name: &str) -> PathBuf {
    root().join("tests/clients").join(name)
}

/// A script for the Python into which the packages are installed.
fn python_session(client: &str, module: &str, name: &str, missing: &[&str]) {
    let python = installed("venv/bin/python");
    let found = Command::new(&python).args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
    if is_there(client, found.is_ok_and(|status| status.success())) {
        session(Command::new(python).arg(script(name)).env("PYTHONDONTWRITEBYTECODE", "1"), missing);
    }
}

#[test]
fn psql() {
    if is_there("psql", runs("psql", "--version")) {
        session(Command::new("bash").arg(script("psql.sh")), &[]);
    }
}

#[test]
fn psycopg() {
    python_session("psycopg", "psycopg", "psycopg_client.py", &[]);
}

#[test]
fn asyncpg() {
    python_session("asyncpg", "asyncpg", "asyncpg_client.py", &[]);
}

#[test]
fn sqlalchemy() {
    python_session("SQLAlchemy", "sqlalchemy, psycopg", "sqlalchemy_client.py", &[]);
}

#[test]
fn alembic() {
    python_session("Alembic", "alembic, sqlalchemy, psycopg", "alembic_client.py", &[]);
}

#[test]
fn migrations_of_node() {
    let modules = installed("node/node_modules");
    if is_there("Drizzle, TypeORM and Knex", runs("node", "--version") && modules.join("drizzle-orm").is_dir()) {
        session(Command::new("node").arg(script("migrations.js")).env("NODE_PATH", modules), &[]);
    }
}

#[test]
fn node_postgres() {
    let modules = installed("node/node_modules");
    if is_there("node-postgres", runs("node", "--version") && modules.join("pg").is_dir()) {
        session(Command::new("node").arg(script("node_postgres.js")).env("NODE_PATH", modules), &[]);
    }
}

#[test]
fn jdbc() {
    let jar = installed("postgresql.jar");
    if is_there("JDBC", runs("java", "-version") && jar.is_file()) {
        session(Command::new("java").arg("-cp").arg(jar).arg(script("Jdbc.java")), &[]);
    }
}
