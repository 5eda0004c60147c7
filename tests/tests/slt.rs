//! SQL logic tests, embedded: every file of `tests/slt/` runs in every way, each against an engine of its own.

use multiloop::{DeviceUse, Engine};
use multiloop_tests::{WAYS, WITH_A_DEVICE, Way, answer, slt};

fn check(way: Way) {
    slt::check(way.name, "embedded", || {
        let engine = way.session().engine().clone();
        move || {
            let mut session = engine.session();
            way.set(&mut session);
            move |sql: &str| answer(&session, sql)
        }
    });
}

#[test]
fn on_the_interpreter() {
    check(WAYS[0]);
}

#[test]
fn on_the_interpreter_without_rules() {
    check(WAYS[1]);
}

#[test]
fn on_the_cpu() {
    check(WAYS[2]);
}

#[test]
fn on_the_cpu_without_rules() {
    check(WAYS[3]);
}

#[test]
fn with_a_device() {
    check(WITH_A_DEVICE[0]);
}

#[test]
fn with_a_device_now_and_then() {
    check(WITH_A_DEVICE[1]);
}

/// Before each statement behind one that may have changed something, all tables go to files, and are read from there when they are
/// asked for.
#[test]
fn from_files() {
    slt::check("from files", "embedded", || {
        // In memory, if that can be: the device is asked thousands of times.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("there is a folder for what is temporary");
        let engine = Engine::builder().threads(2).data(folder.path()).build().expect("an engine starts");
        let shared = std::sync::Arc::new((engine, folder));
        move || {
            let shared = std::sync::Arc::clone(&shared);
            let session = shared.0.session();
            let has_changed = std::cell::Cell::new(true);
            move |sql: &str| {
                if has_changed.get() {
                    shared.0.unload().expect("tables are written");
                }
                let first = sql.trim_start().get(..6).unwrap_or_default().to_ascii_lowercase();
                has_changed.set(!matches!(first.as_str(), "select" | "explai" | "values" | "show a"));
                answer(&session, sql)
            }
        }
    });
}

/// Where a card is asked for (`MULTILOOP_GPU`): every loop that it takes, whatever is to be compiled for it.
#[test]
fn on_a_card() {
    if std::env::var_os("MULTILOOP_GPU").is_none() {
        return;
    }
    slt::check("on a card", "embedded", || {
        let engine = Engine::builder().threads(2).device(DeviceUse::Gpu).build().expect("an engine starts");
        move || {
            let session = engine.session();
            move |sql: &str| answer(&session, sql)
        }
    });
}
