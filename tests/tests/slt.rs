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
