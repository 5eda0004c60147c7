# Sourced: starts a throw-away PostgreSQL on a Unix socket and sets MULTILOOP_POSTGRES to its connection string.
# Without PostgreSQL (and without apt-get to install it) the differential suite says so and is left out.

postgres_bin() {
    local folder
    for folder in /usr/lib/postgresql/*/bin; do
        [ -x "$folder/initdb" ] && printf '%s' "$folder" && return 0
    done
    return 1
}

if ! postgres_bin >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -q -y postgresql >/dev/null
fi

if folder=$(postgres_bin); then
    postgres_data=$(mktemp -d)
    as_postgres=()
    if [ "$(id -u)" = 0 ]; then
        # PostgreSQL refuses to run as root.
        chown postgres "$postgres_data"
        as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    fi
    "${as_postgres[@]}" "$folder/initdb" -D "$postgres_data/db" -A trust -U postgres -E UTF8 --locale=C >/dev/null
    "${as_postgres[@]}" "$folder/pg_ctl" -D "$postgres_data/db" -w -l "$postgres_data/log" \
        -o "-c listen_addresses='' -k $postgres_data -F" start >/dev/null
    trap '"${as_postgres[@]}" "$folder/pg_ctl" -D "$postgres_data/db" -m immediate stop >/dev/null; rm -rf "$postgres_data"' EXIT
    export MULTILOOP_POSTGRES="host=$postgres_data user=postgres dbname=postgres"
fi
