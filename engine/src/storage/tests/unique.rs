//! UNIQUE indexes over expressions and over some rows hold when a folder is opened again, by its log and by a checkpoint.

use super::{copy_of, folder, open, run, run_all};
use crate::{Engine, ErrorKind};

#[test]
fn unique_indexes_hold() {
    let folder = folder();
    let engine = open(folder.path());
    let script = [
        "CREATE TABLE users (id int, email text, closed bool)",
        "CREATE UNIQUE INDEX by_email ON users (lower(email)) WHERE NOT closed",
        "INSERT INTO users VALUES (1, 'a', false), (2, 'B', false), (3, 'b', true)",
        "UPDATE users SET email = 'C' WHERE id = 1",
        "DELETE FROM users WHERE id = 2",
        "INSERT INTO users VALUES (4, 'b', false)",
    ];
    run_all(&engine.session(), &script);
    for _ in 0..2 {
        let copy = super::folder();
        copy_of(folder.path(), copy.path());
        check(&open(copy.path()));
        engine.checkpoint().expect("a checkpoint is made");
    }
    check(&engine);
}

fn check(engine: &Engine) {
    let session = engine.session();
    for (values, is_refused) in
        [("'c', false", true), ("'B', false", true), ("'B', true", false), ("'a', false", false)]
    {
        let refused = run(&session, &format!("INSERT INTO users VALUES (9, {values})")).err();
        let expected = is_refused.then_some(ErrorKind::UniqueViolation);
        assert_eq!(refused.map(|error| error.kind()), expected, "{values}");
    }
    let late = run(&session, "UPDATE users SET closed = false WHERE id = 3").expect_err("there is one");
    assert_eq!(late.detail(), Some("Key (lower(email))=(b) already exists."));
}
