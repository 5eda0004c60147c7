//! The program `multiloop`, serving on a port of its own until it is dropped.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// The path of the program that was built with this test.
pub(crate) const PATH: &str = env!("CARGO_BIN_EXE_multiloop");

/// A server in a process of its own.
pub(crate) struct Program {
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Program {
    /// Serves TPC-H's tables of this scale factor, on a port that the system gives.
    pub(crate) fn serve(scale_factor: f64) -> Self {
        let mut command = Command::new(PATH);
        command.args(["serve", "--listen", "127.0.0.1:0", "--threads", "2", "--log-format", "none", "--tpch"]);
        let mut child = command
            .arg(scale_factor.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        // It says how psql connects once the tables are made.
        let address = out.lines().map_while(Result::ok).find_map(|line| address_in(&line));
        let address = address.expect("the program says where it listens");
        Program { address, child }
    }
}

/// The address in `psql -h HOST -p PORT …`.
fn address_in(line: &str) -> Option<SocketAddr> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["psql", "-h", host, "-p", port, ..] = words[..] else { return None };
    Some(SocketAddr::new(host.parse().ok()?, port.parse().ok()?))
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself, which the clients have noticed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
