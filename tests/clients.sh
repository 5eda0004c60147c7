#!/usr/bin/env bash
# Short sessions of the clients that CI does not run, each against a server of its own; prints a table of what became of
# them, which docs/clients.md records. What is not installed yet is installed below target/clients/others (pip, npm, cargo)
# and by Debian's packages (root): some minutes, the first time.
#
#     bash tests/clients.sh [PROGRAM [CLIENT …]]       PROGRAM is target/release/multiloop if it is not said
#
# Without CLIENT all are run but superset and pgadmin, which take 811 and 614 MB: these must be named.
set -uo pipefail
cd "$(dirname "$0")/.."
program=${1:-target/release/multiloop}
shift || true
wanted=("$@")
folder=$PWD/target/clients/others
sessions=$PWD/tests/clients/others
export NODE_PATH=$folder/node/node_modules PYTHONDONTWRITEBYTECODE=1 DIESEL=$folder/rust/bin/diesel

python_clients="psycopg2 pg8000 pyodbc pandas connectorx adbc polars ibis jupysql pgcli dbt"
node_clients="postgres knex sequelize typeorm kysely drizzle"
rust_clients="sqlx diesel"
big_clients="superset pgadmin"
clients=${wanted[*]:-$python_clients $node_clients $rust_clients perl r pgx pq pgbench}

install() {
    mkdir -p "$folder"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        local packages="libodbc2 odbc-postgresql libdbd-pg-perl r-cran-rpostgresql golang-go golang-github-jackc-pgx-v4-dev"
        packages+=" golang-github-lib-pq-dev libpq-dev postgresql-contrib"
        # shellcheck disable=SC2086 -- they are words
        dpkg -s $packages >/dev/null 2>&1 ||
            { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y $packages; } >/dev/null
    fi
    if ! cmp -s "$sessions/requirements.txt" "$folder/venv/requirements.txt"; then
        python3 -m venv --clear "$folder/venv" && "$folder/venv/bin/pip" install -q -r "$sessions/requirements.txt" &&
            cp "$sessions/requirements.txt" "$folder/venv/"
    fi
    # dbt does not go with the others' versions.
    [ -x "$folder/dbt/bin/dbt" ] ||
        { python3 -m venv --clear "$folder/dbt" && "$folder/dbt/bin/pip" install -q dbt-core==1.10.23 dbt-postgres==1.9.1; }
    if ! cmp -s "$sessions/package.json" "$folder/node/installed.json"; then
        mkdir -p "$folder/node" && cp "$sessions/package.json" "$folder/node/" &&
            (cd "$folder/node" && npm install --silent --no-audit --no-fund) &&
            cp "$sessions/package.json" "$folder/node/installed.json"
    fi
    # Compiled ahead: that takes longer than a session may.
    [ "$folder/go" -nt "$sessions/go/main.go" ] ||
        GO111MODULE=off GOPATH=/usr/share/gocode go build -o "$folder/go" "$sessions/go/main.go"
    # diesel's migrations and schemas are a program's, of the same version.
    [[ "$("$DIESEL" --version 2>/dev/null)" == *" $(version diesel)"* ]] ||
        CARGO_BUILD_JOBS=1 cargo install -q --debug --locked --no-default-features --features postgres \
            --root "$folder/rust" --target-dir "$folder/rust" "diesel_cli@$(version diesel)"
    CARGO_BUILD_JOBS=1 cargo build -q --locked --manifest-path "$sessions/rust/Cargo.toml" --target-dir "$folder/rust"
    local big
    for big in $big_clients; do
        case " $clients " in *" $big "*) ;; *) continue ;; esac
        cmp -s "$sessions/$big.txt" "$folder/$big/requirements.txt" ||
            { python3 -m venv --clear "$folder/$big" && "$folder/$big/bin/pip" install -q -r "$sessions/$big.txt" &&
                cp "$sessions/$big.txt" "$folder/$big/requirements.txt"; }
    done
}

# The version of a client.
version() {
    case $1 in
    adbc) set -- adbc-driver-postgresql ;;
    ibis) set -- ibis-framework ;;
    drizzle) set -- drizzle-kit ;;
    esac
    case $1 in
    dbt) "$folder/dbt/bin/pip" freeze | sed -n 's/^dbt-core==//p' ;;
    perl) dpkg-query -W -f '${Version}' libdbd-pg-perl ;;
    r) dpkg-query -W -f '${Version}' r-cran-rpostgresql ;;
    pgx) dpkg-query -W -f '${Version}' golang-github-jackc-pgx-v4-dev ;;
    pq) dpkg-query -W -f '${Version}' golang-github-lib-pq-dev ;;
    pgbench) pgbench --version | cut -d ' ' -f 3 ;;
    sqlx | diesel) sed -n "s/^$1 = .*\"=\([^\"]*\)\".*/\1/p" "$sessions/rust/Cargo.toml" ;;
    superset | pgadmin) sed -n 's/^\(apache-superset\|pgadmin4\)==//p' "$sessions/$1.txt" ;;
    *)
        sed -n "s/^\($1\|$1-binary\)\(\[.*\]\)\?==//p" "$sessions/requirements.txt"
        sed -n "s/^ *\"$1\": \"\(.*\)\",\?/\1/p" "$sessions/package.json"
        ;;
    esac
}

# One session: CLIENT HOST PORT.
session() {
    local python=$folder/venv/bin/python
    case $1 in dbt | superset | pgadmin) python=$folder/$1/bin/python ;; esac
    case " $python_clients $big_clients | $node_clients | $rust_clients | " in
    *" $1 "*"|"*"|"*"|"*) "$python" "$sessions/python.py" "$@" ;;
    *"|"*" $1 "*"|"*"|"*) node "$sessions/node.js" "$@" ;;
    *"|"*"|"*" $1 "*"|"*) "$folder/rust/debug/multiloop-other-clients" "$@" ;;
    *) case $1 in
        perl) perl "$sessions/perl.pl" "${@:2}" ;;
        r) Rscript "$sessions/r.R" "${@:2}" ;;
        pgx | pq) "$folder/go" "$@" ;;
        pgbench) bash "$sessions/pgbench.sh" "${@:2}" ;;
        *) echo "there is no session of $1" >&2 && return 1 ;;
        esac ;;
    esac
}

install
log=$(mktemp)
"$program" serve --listen 127.0.0.1:0 --tpch 0.01 --log-format none >"$log" 2>"$log.errors" &
server=$!
trap 'kill $server; rm -f "$log" "$log.errors"' EXIT
for _ in $(seq 300); do
    port=$(sed -n 's/^ *psql -h .* -p \([0-9]*\) .*/\1/p' "$log")
    [ -n "$port" ] && break
    sleep 0.2
done
[ -n "$port" ] || { echo "the server does not start" >&2 && exit 1; }

failed=0
printf '| client | version | what became of it |\n|---|---|---|\n'
# shellcheck disable=SC2086 -- they are words
for client in $clients; do
    export -f session
    export folder sessions python_clients node_clients rust_clients big_clients
    if said=$(timeout 300 bash -c 'session "$@"' _ "$client" 127.0.0.1 "$port" 2>&1); then
        outcome=ok
    else
        failed=1
        outcome=$(grep -E 'rror|instead of' <<<"$said" | tail -1 | tr '|' '/' | cut -c1-200)
    fi
    printf '| %s | %s | %s |\n' "$client" "$(version "$client")" "${outcome:-failed: $(tail -1 <<<"$said" | cut -c1-200)}"
done
exit $failed
