// A session of node-postgres: `node_postgres.js HOST PORT FOLDER`, whose folder has TPC-H's queries. It sends and
// reads text. Its binary is tried with small numbers alone: no byte above 127 survives it.
'use strict';

const assert = require('node:assert').strict;
const fs = require('node:fs');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { Readable } = require('node:stream');
const { Client, Pool, Query } = require('pg');
const Cursor = require('pg-cursor');
const { from: copyFrom, to: copyTo } = require('pg-copy-streams');

const [host, port, folder] = process.argv.slice(2);
const options = { host, port: Number(port), user: 'u', database: 'd', connectionTimeoutMillis: 30000 };
const FAR = 'SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1';

// Types, with values as PostgreSQL shows them; each is written as a parameter and read back, as a text.
const VALUES = {
  'boolean': ['true', 'false'],
  'smallint': ['-32768'],
  'integer': ['2147483647'],
  'bigint': ['9223372036854775807'],
  'real': ['1.5', 'NaN', '-Infinity'],
  'double precision': ['0.1', '1e-10'],
  'numeric': ['123456789012345678901234567890.000000001', '-0.50'],
  'text': ['', 'ä\'"\\\t\n', '🐍'.repeat(300)],
  'varchar(5)': ['abc'],
  'char(4)': ['ab  '],
  'date': ['1998-12-01', '0044-03-15 BC'],
  'time': ['23:59:59.999999'],
  'timestamp': ['1998-12-01 04:05:06.5'],
  'timestamptz': ['1998-12-01 04:05:06.5+00'],
  'interval': ['1 year 2 mons -3 days +04:05:06.5'],
  'bytea': ['\\x00ff5c'],
  'uuid': ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  'json': ['{"a" :1}'],
  'jsonb': ['{"a": [1, null]}'],
  'integer[]': ['{}', '{1,NULL,-3}', '{{1,2},{3,4}}'],
  'text[]': ['{"",NULL,"a b","{,}","\\"","\\\\",é}'],
};

async function connect() {
  const client = new Client(options);
  await client.connect();
  await client.query("SET TIME ZONE 'UTC'");
  return client;
}

async function refused(work, code) {
  await assert.rejects(work, (error) => { assert.equal(error.code, code); return true; });
}

const parts = {
  async reflect(client) {
    const tables = await client.query(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1', ['public']);
    assert.deepEqual(tables.rows.map((row) => row.table_name),
      ['customer', 'lineitem', 'nation', 'orders', 'part', 'partsupp', 'region', 'supplier']);
    const columns = await client.query(
      `SELECT column_name, data_type, is_nullable, numeric_precision, numeric_scale FROM information_schema.columns
       WHERE table_name = $1 AND ordinal_position <= $2 ORDER BY ordinal_position`, ['orders', 4]);
    assert.deepEqual(columns.rows.map((row) => [row.column_name, row.data_type]),
      [['o_orderkey', 'bigint'], ['o_custkey', 'bigint'], ['o_orderstatus', 'text'], ['o_totalprice', 'numeric']]);
    assert.deepEqual([columns.rows[3].numeric_precision, columns.rows[3].numeric_scale], [15, 2]);
    const { fields } = await client.query('SELECT o_orderkey, o_orderdate FROM orders LIMIT 0');
    assert.deepEqual(fields.map((field) => field.dataTypeID), [20, 1082]);
  },

  async tpch(client) {
    // The server's own text, whatever the type; JavaScript would round numbers.
    const raw = { getTypeParser: () => (value) => (value === null ? null : value.toString()) };
    for (let number = 1; number <= 22; number += 1) {
      const read = (ending) => fs.readFileSync(path.join(folder, `q${String(number).padStart(2, '0')}.${ending}`), 'utf8');
      const lines = (text) => text.split('\n').slice(0, -1);
      const rows = lines(read('rows'));
      const shown = (result) => result.rows.map((row) => row.map((value) => value ?? '').join('\t'));
      const query = { rowMode: 'array', types: raw };
      assert.deepEqual(shown(await client.query({ ...query, text: read('sql') })), rows, `query ${number}, simple`);
      const named = { ...query, name: `q${number}`, text: read('parameters.sql'), values: lines(read('parameters')) };
      for (const _ of [1, 2]) {
        assert.deepEqual(shown(await client.query(named)), rows, `query ${number}, parameters`);
      }
    }
  },

  async transactions(client) {
    await client.query('CREATE TABLE kept (a int)');
    await client.query('BEGIN');
    await client.query('INSERT INTO kept VALUES ($1)', [1]);
    await client.query('SAVEPOINT s');
    await client.query('INSERT INTO kept VALUES ($1)', [2]);
    await refused(client.query('SELECT 1 / 0'), '22012');
    await refused(client.query('SELECT 1'), '25P02');
    await client.query('ROLLBACK TO SAVEPOINT s');
    await client.query('INSERT INTO kept VALUES ($1)', [3]);
    await client.query('COMMIT');
    const { rows, rowCount } = await client.query('SELECT a FROM kept ORDER BY a');
    assert.deepEqual([rows, rowCount], [[{ a: 1 }, { a: 3 }], 2]);
    const several = await client.query('SELECT 1 AS a; INSERT INTO kept VALUES (4); SELECT count(*) FROM kept');
    assert.deepEqual(several.map((one) => one.command), ['SELECT', 'INSERT', 'SELECT']);
    assert.equal(several[2].rows[0].count, '3');
  },

  async refusals(client) {
    await refused(client.query('SELECT nope FROM nation'), '42703');
    await refused(client.query('SELECT * FROM nope WHERE a = $1', [1]), '42P01');
    await refused(client.query('SELECT $1::int', ['x']), '22P02');
    await refused(client.query('SELECT 1 / $1::int', [0]), '22012');
    const error = await client.query('SELECT nope').catch((caught) => caught);
    assert.deepEqual([error.severity, error.position], ['ERROR', '8']);
  },

  async everyType(client) {
    const types = { getTypeParser: () => (value) => value };
    for (const [type, values] of Object.entries(VALUES)) {
      for (const value of [...values, null]) {
        const { rows } = await client.query({ text: `SELECT $1::${type} AS v`, values: [value], types });
        assert.equal(rows[0].v, type === 'boolean' && value !== null ? value[0] : value, type);
      }
    }
    const { rows } = await client.query(
      `SELECT $1::int AS i, $2::float8 AS f, $3::bool AS b, $4::timestamptz AS t, $5::bytea AS y, $6::jsonb AS j,
              $7::int[] AS a, $8::text[] AS s, $9::text AS n`,
      [7, 0.1, true, new Date(1234567890123), Buffer.from([0, 255]), { k: [1, null] }, [1, null], ['a,b', null, '"'], null]);
    assert.deepEqual(rows[0], {
      i: 7, f: 0.1, b: true, t: new Date(1234567890123), y: Buffer.from([0, 255]), j: { k: [1, null] },
      a: [1, null], s: ['a,b', null, '"'], n: null,
    });
    const binary = await client.query({ text: 'SELECT 7::int AS i, 0.5::float8 AS f, true AS b, 3::int2 AS s', binary: true });
    assert.deepEqual(binary.rows[0], { i: 7, f: 0.5, b: true, s: 3 });
  },

  async cursors(client) {
    const cursor = client.query(new Cursor('SELECT l_orderkey, l_comment FROM lineitem WHERE l_orderkey > $1', [0]));
    let count = 0;
    for (let rows = await cursor.read(1000); rows.length > 0; rows = await cursor.read(1000)) count += rows.length;
    await cursor.close();
    assert.equal(String(count), (await client.query('SELECT count(*) FROM lineitem')).rows[0].count);
    const early = client.query(new Cursor('SELECT l_orderkey FROM lineitem'));
    assert.equal((await early.read(3)).length, 3);
    await early.close();
    assert.equal((await client.query('SELECT 1 AS x')).rows[0].x, 1);
  },

  async copies(client) {
    await client.query('CREATE TABLE copied (a int, b text)');
    await pipeline(Readable.from(['1\ta\\tb\n2\t', '\\N\n3\t\n']), client.query(copyFrom('COPY copied FROM STDIN')));
    const { rows } = await client.query('SELECT * FROM copied ORDER BY a');
    assert.deepEqual(rows, [{ a: 1, b: 'a\tb' }, { a: 2, b: null }, { a: 3, b: '' }]);
    const got = [];
    for await (const part of client.query(copyTo('COPY (SELECT * FROM copied ORDER BY a) TO STDOUT'))) got.push(part);
    assert.equal(Buffer.concat(got).toString(), '1\ta\\tb\n2\t\\N\n3\t\n');
    let bytes = 0;
    for await (const part of client.query(copyTo('COPY lineitem TO STDOUT (FORMAT binary)'))) bytes += part.length;
    assert.ok(bytes > 1e6, `${bytes} bytes`);
    await assert.rejects(pipeline(Readable.from(['x\ty\n']), client.query(copyFrom('COPY copied FROM STDIN'))),
      (error) => error.code === '22P02');
  },

  async notifications(client) {
    const listener = await connect();
    const heard = new Promise((resolve) => { listener.once('notification', resolve); });
    await listener.query('LISTEN news');
    await client.query("NOTIFY other, 'not heard'");
    await client.query("NOTIFY news, 'first'");
    const { channel, payload, processId } = await heard;
    assert.deepEqual([channel, payload, processId], ['news', 'first', client.processID]);
    await listener.end();
  },

  async cancels(client) {
    const running = new Query(FAR);
    const far = new Promise((resolve, reject) => {
      running.on('end', resolve);
      running.on('error', reject);
    });
    client.query(running);
    await new Promise((resolve) => { setTimeout(resolve, 500); });
    // As its own request: the driver has the numbers, and no method.
    const other = new Client(options);
    other.cancel(client, running);
    await refused(far, '57014');
    assert.equal((await client.query('SELECT 1 AS x')).rows[0].x, 1);
    await client.query("SET statement_timeout = '200ms'");
    await refused(client.query(FAR), '57014');
    await client.query('RESET statement_timeout');
  },

  async pools() {
    const pool = new Pool({ ...options, max: 3 });
    const numbers = Array.from({ length: 50 }, (_, at) => at);
    const answers = await Promise.all(numbers.map((number) => pool.query('SELECT $1::int * 2 AS d', [number])));
    assert.deepEqual(answers.map(({ rows }) => rows[0].d), numbers.map((number) => number * 2));
    await pool.end();
  },
};

async function main() {
  const client = await connect();
  const failed = [];
  for (const [name, part] of Object.entries(parts)) {
    try {
      await part(client);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED ${name}\n${error.stack}`);
      await client.query('ROLLBACK').catch(() => {});
    }
  }
  await client.end();
  if (failed.length > 0) {
    console.error(`failed: ${failed.join(', ')}`);
    process.exit(1);
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
