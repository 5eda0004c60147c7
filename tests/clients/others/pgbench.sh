#!/usr/bin/env bash
# A short session of pgbench: `pgbench.sh HOST PORT`. Its own tables (-i) are not made: see docs/clients.md.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PGHOST=$1 PGPORT=$2 PGUSER=u PGDATABASE=d

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

# WANTED OPTION…: that many transactions are done, and none fails.
runs() {
    local wanted=$1 said
    shift
    said=$(pgbench -n "$@" 2>&1) || { echo "error: pgbench $*: $said" | tr '\n' ' ' && return 1; }
    for line in "actually processed: $wanted/$wanted" "failed transactions: 0"; do
        [[ $said == *"$line"* ]] || { echo "error: pgbench $*: no $line" && return 1; }
    done
}

cat >"$folder/reads.sql" <<'SQL'
\set nation random(0, 24)
SELECT n_name, r_name FROM nation, region WHERE n_regionkey = r_regionkey AND n_nationkey = :nation;
SELECT count(*) AS before FROM orders WHERE o_orderdate < date '1995-01-01' + :nation * 0 \gset
\if :before <> 6866
SELECT 1 / 0;
\endif
SQL
cat >"$folder/writes.sql" <<'SQL'
\set amount random(1, 9)
BEGIN;
INSERT INTO by_pgbench VALUES (:client_id, :amount);
SELECT count(*) FROM by_pgbench WHERE client = :client_id;
SAVEPOINT s;
INSERT INTO by_pgbench VALUES (:client_id, 0);
ROLLBACK TO s;
COMMIT;
BEGIN;
INSERT INTO by_pgbench VALUES (:client_id, 0);
ROLLBACK;
SQL
cat >"$folder/pipeline.sql" <<'SQL'
\startpipeline
BEGIN;
INSERT INTO by_pgbench VALUES (:client_id, 1);
SELECT n_name FROM nation WHERE n_nationkey = :client_id;
COMMIT;
\endpipeline
SQL

sql "CREATE TABLE by_pgbench (client int, amount int)"
for mode in simple extended prepared; do
    runs 40 -M $mode -c 2 -j 2 -t 20 -f "$folder/reads.sql"
    # Two that write one table: one may get a 40001, and pgbench, which knows it by that, tries again.
    runs 40 -M $mode -c 2 -j 2 -t 20 -f "$folder/writes.sql" --max-tries=1000
    # What is sent ahead cannot be tried again.
    [ $mode = simple ] || runs 20 -M $mode -c 1 -t 20 -f "$folder/pipeline.sql"
done
found=$(sql "SELECT count(*) FROM by_pgbench")
[ "$found" = 160 ] || { echo "error: $found instead of 160" && exit 1; }
sql "DROP TABLE by_pgbench"
