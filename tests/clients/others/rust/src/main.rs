//! A short session of sqlx and one of diesel: `NAME HOST PORT`.

mod by_diesel;
mod by_sqlx;

use std::error::Error;
use std::fmt::Debug;

type Done = Result<(), Box<dyn Error>>;

/// Orders before 1995.
const BEFORE: i64 = 6866;

fn same<T: Debug + PartialEq<U>, U: Debug>(got: T, wanted: U) -> Done {
    if got == wanted { Ok(()) } else { Err(format!("{got:?} instead of {wanted:?}").into()) }
}

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, host, port] = arguments.as_slice() else { return Err("NAME HOST PORT".into()) };
    let url = format!("postgres://u@{host}:{port}/d");
    let done = match name.as_str() {
        "sqlx" => by_sqlx::session(&url),
        "diesel" => by_diesel::session(&url),
        _ => Err("there is no such session".into()),
    };
    // One line: the script shows the last that speaks of an error.
    if let Err(error) = done {
        eprintln!("error: {}", error.to_string().replace('\n', " "));
        std::process::exit(1);
    }
    Ok(())
}
