# Sourced: installs the clients that cli/tests/clients/ drives, below target/clients, each version pinned; what is there
# already stays. psql and JDBC come from Debian (root), Python's and Node's packages from their registries.
# Where one cannot be had it is left out and said to be, but not in CI: there its test fails.

clients_folder=$PWD/target/clients

# Packages of Debian.
clients_apt() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return
    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -q -y "$@" >/dev/null
}

clients_psql() {
    command -v psql >/dev/null || clients_apt postgresql-client
}

# Python's packages; made anew when another version is asked for.
clients_python() {
    local stamp=$clients_folder/venv/requirements.txt
    cmp -s tests/clients/requirements.txt "$stamp" && return
    rm -rf "$clients_folder/venv"
    if ! python3 -m venv "$clients_folder/venv" 2>/dev/null; then
        clients_apt python3-venv && python3 -m venv --clear "$clients_folder/venv" || return
    fi
    "$clients_folder/venv/bin/pip" install -q --disable-pip-version-check -r tests/clients/requirements.txt || return
    cp tests/clients/requirements.txt "$stamp"
}

# Node's packages, as the lock file has them.
clients_node() {
    local stamp=$clients_folder/node/installed.json
    cmp -s tests/clients/node/package-lock.json "$stamp" && return
    command -v npm >/dev/null || clients_apt nodejs npm || return
    mkdir -p "$clients_folder/node"
    cp tests/clients/node/package.json tests/clients/node/package-lock.json "$clients_folder/node"
    (cd "$clients_folder/node" && npm ci --silent --no-audit --no-fund) || return
    cp tests/clients/node/package-lock.json "$stamp"
}

# JDBC's driver: Debian has one version a release.
clients_jdbc() {
    local jar=/usr/share/java/postgresql.jar
    command -v javac >/dev/null || clients_apt default-jdk-headless || return
    [ -e "$jar" ] || clients_apt libpostgresql-jdbc-java || return
    ln -sf "$jar" "$clients_folder/postgresql.jar"
}

mkdir -p "$clients_folder"
for client in clients_psql clients_python clients_node clients_jdbc; do
    if ! $client; then
        echo "not installed: $client" >&2
        [ -n "${CI:-}" ] || export MULTILOOP_WITHOUT_CLIENTS=1
    fi
done
export MULTILOOP_CLIENTS=$clients_folder
