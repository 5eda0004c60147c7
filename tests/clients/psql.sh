#!/usr/bin/env bash
# A session of psql: `psql.sh HOST PORT FOLDER`, whose folder has TPC-H's queries. psql reads text alone.
set -uo pipefail
export PGHOST=$1 PGPORT=$2 PGUSER=u PGDATABASE=d PGCONNECT_TIMEOUT=30 PGTZ=UTC LC_ALL=C.UTF-8
folder=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()

# Statements and backslash commands from standard input; stops at the first that fails.
run() {
    psql -X -q -v ON_ERROR_STOP=1 "$@" 2>&1
}

# NAME WANTED GOT
same() {
    [ "$2" = "$3" ] && return
    printf 'FAILED %s\n--- wanted\n%s\n--- got\n%s\n' "$1" "$2" "$3"
    failed+=("$1")
}

# NAME PATTERN TEXT: a line of the text matches.
has() {
    grep -Eq -- "$2" <<<"$3" && return
    printf 'FAILED %s\n--- has no line %s\n%s\n' "$1" "$2" "$3"
    failed+=("$1")
}

# NAME TEXT: nothing in it is an error.
fine() {
    grep -Eq 'ERROR:|FATAL:|connection to server|invalid command' <<<"$2" || return 0
    printf 'FAILED %s\n%s\n' "$1" "$2"
    failed+=("$1")
}

reflect() {
    run <<'SQL' || return 1
CREATE TABLE parent (id bigint PRIMARY KEY, name varchar(25) NOT NULL UNIQUE, price numeric(15,2) DEFAULT 0.50 CHECK (price >= 0));
CREATE TABLE child (id bigint PRIMARY KEY, of_id bigint REFERENCES parent, tags text[]);
CREATE INDEX parent_price ON parent (price);
COMMENT ON TABLE parent IS 'reflected by psql';
COMMENT ON COLUMN parent.name IS 'what it is called';
CREATE VIEW seen AS SELECT id, name FROM parent;
CREATE TYPE mood AS ENUM ('sad', 'ok');
SQL
    local said
    said=$(run -c '\d parent')
    has '\d TABLE: name' '^ name +\| character varying\(25\) +\| +\| not null \|' "$said"
    has '\d TABLE: default' '^ price +\| numeric\(15,2\) +\| +\| +\| 0\.50' "$said"
    has '\d TABLE: primary key' '^    "parent_pkey" PRIMARY KEY, btree \(id\)$' "$said"
    has '\d TABLE: index' '^    "parent_price" btree \(price\)$' "$said"
    has '\d TABLE: unique' '^    "parent_name_key" UNIQUE CONSTRAINT, btree \(name\)$' "$said"
    has '\d TABLE: check' '^    "parent_price_check" CHECK ' "$said"
    has '\d TABLE: referenced' '^    TABLE "child" CONSTRAINT "child_of_id_fkey" FOREIGN KEY \(of_id\) REFERENCES parent\(id\)$' "$said"
    said=$(run -c '\d+ parent')
    has '\d+ TABLE: comment' 'what it is called' "$said"
    has '\d child: foreign key' '^    "child_of_id_fkey" FOREIGN KEY \(of_id\) REFERENCES parent\(id\)$' "$(run -c '\d child')"
    said=$(run -c '\d+ seen')
    has '\d+ VIEW' 'SELECT ' "$said"
    said=$(run -c '\d+')
    has '\d+' '^ public +\| lineitem +\| table ' "$said"
    has '\d+: view' '^ public +\| seen +\| view ' "$said"
    has '\dt+' '^ public +\| parent +\| table .*\| reflected by psql' "$(run -c '\dt+')"
    has '\dt PATTERN' '^\(3 rows\)$' "$(run -c '\dt par*')"
    has '\dv' '^ public +\| seen +\| view ' "$(run -c '\dv')"
    has '\di' '^ public +\| parent_price +\| index .*\| parent' "$(run -c '\di')"
    has '\dT+' '^ public +\| mood +\| mood .*\| sad +\+' "$(run -c '\dT+')"
    has '\dn' '^ public ' "$(run -c '\dn')"
    has '\l' '^ d +\|' "$(run -c '\l')"
    has '\du' '^ u +\|' "$(run -c '\du')"
    has '\d NOPE' 'Did not find any relation named "nope"' "$(psql -X -c '\d nope' 2>&1)"
    local command
    for command in '\df' '\dfS abs' '\dTS' '\dC' '\do' '\ddp' '\dp' '\db' '\dx' '\dD' '\ds' '\dm' '\dE' '\dc' '\dO' '\dL' '\dA' '\dF' '\dFd' \
        '\des' '\dew' '\dy' '\dRp' '\dRs' '\drds' '\dg+' '\dn+' '\l+' '\dconfig' '\sv seen' '\d pg_class' '\dS' '\conninfo' '\encoding'; do
        fine "$command" "$(run -c "$command")"
    done
    run -c 'DROP VIEW seen' -c 'DROP TABLE child' -c 'DROP TABLE parent' -c 'DROP TYPE mood'
}

# All queries in one session, as they are and as prepared statements, each into a file of its own.
tpch() {
    local number name
    for number in $(seq -w 1 22); do
        name=q$number
        printf '\\o %s/%s.text\n' "$scratch" "$name"
        cat "$folder/$name.sql"
        printf ';\nPREPARE %s AS\n' "$name"
        cat "$folder/$name.parameters.sql"
        printf ';\n\\o %s/%s.prepared\nEXECUTE %s' "$scratch" "$name" "$name"
        # No parameter has a quote.
        if [ -s "$folder/$name.parameters" ]; then
            sed "s/.*/'&'/" "$folder/$name.parameters" | paste -sd, | sed 's/.*/(&)/'
        fi
        printf ';\n'
    done >"$scratch/tpch.sql"
    fine tpch "$(run -A -t -F $'\t' -f "$scratch/tpch.sql")"
    local way
    for number in $(seq -w 1 22); do
        for way in text prepared; do
            cmp -s "$folder/q$number.rows" "$scratch/q$number.$way" && continue
            same "query $number, $way" "$(cat "$folder/q$number.rows")" "$(cat "$scratch/q$number.$way")"
        done
    done
}

transactions() {
    same savepoints $'1\n3' "$(run -A -t <<'SQL'
CREATE TABLE kept (a int);
BEGIN;
INSERT INTO kept VALUES (1);
SAVEPOINT s;
INSERT INTO kept VALUES (2);
ROLLBACK TO s;
INSERT INTO kept VALUES (3);
COMMIT;
BEGIN; INSERT INTO kept VALUES (4); ROLLBACK;
SELECT a FROM kept ORDER BY a;
SQL
)"
    # What failed inside of a transaction is undone alone where psql sets savepoints.
    same ON_ERROR_ROLLBACK 3 "$(psql -X -q -A -t -v ON_ERROR_ROLLBACK=on 2>"$scratch/errors" <<'SQL'
BEGIN; INSERT INTO kept VALUES (5); SELECT nope; COMMIT;
SELECT count(*) FROM kept;
SQL
)"
    same 'several statements of one text' 3 "$(psql -X -q -A -t -c 'INSERT INTO kept VALUES (6); SELECT 1/0' \
        2>"$scratch/errors"; run -A -t -c 'SELECT count(*) FROM kept')"
}

refusals() {
    local said
    said=$(run -v VERBOSITY=verbose -c 'SELECT nope FROM nation')
    has 'an error' '^ERROR:  42703: column "nope" does not exist$' "$said"
    has 'its line' '^LINE 1: SELECT nope FROM nation$' "$said"
    has 'its place' '^               \^$' "$said"
    has '22012' '22012' "$(run -v VERBOSITY=sqlstate -c 'SELECT 1/0')"
    has '42601' '42601' "$(run -v VERBOSITY=sqlstate -c 'SELEC 1')"
}

types() {
    same 'text of types' "t|-32768|9223372036854775807|1e+10|NaN|-0.50|ä'\"\\|ab  |1998-12-01|23:59:59.999999|1998-12-01 04:05:06.5|\
1998-12-01 04:05:06.5+00|1 year 2 mons -3 days +04:05:06.5|\\x00ff|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|{\"a\": [1, null]}|{1,NULL,-3}|\
{\"\",NULL,\"a b\"}|(null)" "$(run -A -t -P null='(null)' <<'SQL'
SELECT true, (-32768)::smallint, 9223372036854775807, 1e10::real, 'NaN'::float8, -0.50, 'ä''"\', 'ab'::char(4), date '1998-12-01',
    time '23:59:59.999999', timestamp '1998-12-01 04:05:06.5', timestamptz '1998-12-01 04:05:06.5Z',
    interval '1 year 2 months -3 days 04:05:06.5', '\x00ff'::bytea, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid,
    '{"a":[1,null]}'::jsonb, ARRAY[1, NULL, -3], ARRAY['', NULL, 'a b'], NULL;
SQL
)"
    same '\gdesc' 'a|bigint
b|numeric(15,2)
c|text[]' "$(run -A -t <<'SQL'
SELECT l_orderkey AS a, l_tax AS b, ARRAY['x'] AS c FROM lineitem \gdesc
SQL
)"
    same '\gset, \if' yes "$(run -A -t <<'SQL'
SELECT count(*) = 25 AS whole FROM nation \gset
\if :whole
\echo yes
\endif
SQL
)"
}

# FETCH_COUNT makes psql read by a cursor.
cursors() {
    local whole
    whole=$(run -A -t -c 'SELECT count(*) FROM lineitem')
    same FETCH_COUNT "$whole" "$(run -A -t -v FETCH_COUNT=1000 -c 'SELECT l_orderkey FROM lineitem' | wc -l)"
    same 'a cursor' $'0\n1\n24\n23' "$(run -A -t <<'SQL'
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT n_nationkey FROM nation ORDER BY 1;
FETCH 2 FROM c;
FETCH LAST FROM c;
FETCH BACKWARD 1 FROM c;
CLOSE c;
COMMIT;
SQL
)"
}

copies() {
    printf '1\ta\\tb\n2\t\\N\n3\t\n' >"$scratch/in"
    run <<SQL || return 1
CREATE TABLE copied (a int, b text);
\\copy copied FROM '$scratch/in'
\\copy (SELECT * FROM copied ORDER BY a) TO '$scratch/out'
\\copy copied TO '$scratch/out.csv' WITH (FORMAT csv, HEADER)
\\copy lineitem TO '$scratch/out.binary' WITH (FORMAT binary)
CREATE TABLE copied_lines AS SELECT * FROM lineitem LIMIT 0;
\\copy copied_lines FROM '$scratch/out.binary' WITH (FORMAT binary)
SQL
    same '\copy' "$(cat "$scratch/in")" "$(cat "$scratch/out")"
    same '\copy, CSV' $'a,b\n1,a\tb\n2,\n3,""' "$(cat "$scratch/out.csv")"
    same '\copy, binary' 0 "$(run -A -t -c 'SELECT count(*) FROM (SELECT * FROM lineitem EXCEPT ALL SELECT * FROM copied_lines) d')"
    same 'COPY FROM STDIN' $'7|x\n8|y' "$(run -A -t <<'SQL'
TRUNCATE copied;
COPY copied FROM STDIN;
7	x
8	y
\.
SELECT * FROM copied ORDER BY a;
SQL
)"
}

notifications() {
    has NOTIFY '^Asynchronous notification "news" with payload "first" received' "$(run -c 'LISTEN news' -c "NOTIFY news, 'first'")"
}

cancels() {
    local far='SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1'
    # Ctrl-C sends a cancel request.
    has Ctrl-C '^ERROR:  canceling statement due to user request$' "$(timeout --foreground -s INT 1 psql -X -c "$far" 2>&1)"
    same 'after a statement that was stopped' $'57014\n1' "$(psql -X -q -A -t 2>&1 <<SQL | sed 's/^.*ERROR: *//'
\\set VERBOSITY sqlstate
SET statement_timeout = '200ms';
$far;
RESET statement_timeout;
SELECT 1;
SQL
)"
}

for part in reflect tpch transactions refusals types cursors copies notifications cancels; do
    "$part" || failed+=("$part")
done
if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[*]}" >&2
    exit 1
fi
