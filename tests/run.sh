#!/usr/bin/env bash
# The test command of the README: format, lints, docs and all tests. Installs PostgreSQL (for the differential
# suite) and its clients (for the suite that tries them) where they can be had and are not there yet.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    local began=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    printf '== took %d s\n' "$((SECONDS - began))"
}

. tests/postgres.sh
. tests/clients-install.sh

export RUSTDOCFLAGS="-D warnings"
step cargo fmt --all --check
# In the release profile: what a release build is made of is compiled by nothing else here. The pages are made in it, too, so that
# the dependencies are checked once for both.
step cargo clippy --release --workspace --all-targets --locked --features multiloop-cli/remote -- -D warnings
step cargo doc --release --workspace --no-deps --locked --features multiloop-cli/remote
# And what a default build has in place of it.
step cargo clippy --release -p multiloop -p multiloop-cli --locked -- -D warnings
step cargo test --workspace --locked --features multiloop-cli/remote
# Kernels without this machine's best instructions. The interpreter has none, nor has the devices' test: they have said what is
# right above.
skipped="--skip on_the_interpreter --skip with_a_device"
MULTILOOP_CPU=portable step cargo test --workspace --locked --features multiloop-cli/remote --test random --test slt --test tpch -- $skipped
# And without the techniques of execution: right answers need none of them.
MULTILOOP_WITHOUT=all step cargo test --workspace --locked --features multiloop-cli/remote --test random --test slt -- $skipped
