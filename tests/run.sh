#!/usr/bin/env bash
# The test command of the README: format, lints, docs and all tests. Installs PostgreSQL (for the differential
# suite) and its clients (for the suite that tries them) where they can be had and are not there yet.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    local began=$SECONDS
    printf '\n== %s\n' "$*"
    "$@" || return
    printf '== took %d s\n' "$((SECONDS - began))"
}

export RUSTDOCFLAGS="-D warnings"
step cargo fmt --all --check

# Lints and pages, in the release profile: what a release build is made of is compiled by nothing else here.
lint() {
    step cargo clippy --release --workspace --all-targets --locked --features multiloop-cli/remote -- -D warnings
    # Pages are made of crates as the lints have left them, if what compiles these is called as `cargo clippy` calls it: else they
    # would all be checked once more.
    local tools
    tools=$(dirname "$(rustup which cargo-clippy 2>/dev/null || command -v cargo-clippy)")
    RUSTC_WORKSPACE_WRAPPER=$tools/clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ \
        step cargo doc --release --workspace --no-deps --locked --features multiloop-cli/remote
    # And what a default build has in place of it, of dependencies with the features that it has.
    step cargo clippy --release -p multiloop -p multiloop-cli --locked -- -D warnings
}

# They mostly keep one processor busy, and the tests are built in another folder, where there is not always work for all of
# them; and what is installed comes over the network. No test runs meanwhile: some ask how long something takes.
lints=$(mktemp)
lint >"$lints" 2>&1 &
linting=$!
. tests/postgres.sh
. tests/clients-install.sh
built=0
step cargo test --workspace --locked --features multiloop-cli/remote --no-run || built=$?
linted=0
wait "$linting" || linted=$?
cat "$lints"
rm "$lints"
[ "$built" = 0 ] && [ "$linted" = 0 ] || exit 1

step cargo test --workspace --locked --features multiloop-cli/remote
# Kernels without this machine's best instructions. The interpreter has none, nor has the devices' test: they have said what is
# right above. Nor do rules know of kernels.
skipped="--skip on_the_interpreter --skip with_a_device --skip without_rules"
MULTILOOP_CPU=portable step cargo test --workspace --locked --features multiloop-cli/remote --test random --test slt --test tpch -- $skipped
# And without the techniques of execution: right answers need none of them.
MULTILOOP_WITHOUT=all step cargo test --workspace --locked --features multiloop-cli/remote --test random --test slt -- $skipped
