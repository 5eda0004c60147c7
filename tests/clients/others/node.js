// Short sessions of Node's other clients: `node.js NAME HOST PORT`.
'use strict';

const assert = require('node:assert').strict;

const [name, host, port] = process.argv.slice(2);
const url = `postgres://u@${host}:${port}/d`;
const BEFORE = 6866; // orders before 1995

const sessions = {
  async postgres() {
    const sql = require('postgres')(url, { onnotice: () => {} });
    const [{ count }] = await sql`SELECT count(*)::int FROM orders WHERE o_orderdate < ${'1995-01-01'}`;
    assert.equal(count, BEFORE);
    assert.equal((await sql`SELECT * FROM nation WHERE n_nationkey = ANY(${[1, 2]})`).length, 2);
    let rows = 0;
    for await (const part of sql`SELECT l_orderkey FROM lineitem`.cursor(5000)) rows += part.length;
    assert.ok(rows > 59000);
    await sql.begin(async (inside) => {
      await inside`CREATE TABLE by_postgres (a int, b text[], j jsonb)`;
      await inside`INSERT INTO by_postgres ${inside([{ a: 1, b: ['x', 'y,'], j: { k: 1 } }])}`;
    });
    assert.deepEqual([...await sql`SELECT * FROM by_postgres`], [{ a: 1, b: ['x', 'y,'], j: { k: 1 } }]);
    await assert.rejects(sql`SELECT nope`, (error) => error.code === '42703');
    await sql`DROP TABLE by_postgres`;
    await sql.end();
  },

  async knex() {
    const knex = require('knex')({ client: 'pg', connection: url });
    assert.equal(await knex.schema.hasTable('nation'), true);
    assert.equal((await knex('orders').columnInfo()).o_totalprice.type, 'numeric');
    assert.equal(Number((await knex('orders').where('o_orderdate', '<', '1995-01-01').count('* as n'))[0].n), BEFORE);
    await knex.schema.createTable('by_knex', (table) => {
      table.integer('a').primary();
      table.string('b', 20).notNullable();
    });
    await knex.transaction(async (inside) => { await inside('by_knex').insert([{ a: 1, b: 'x' }, { a: 2, b: 'y' }]); });
    assert.deepEqual(await knex('by_knex').orderBy('a'), [{ a: 1, b: 'x' }, { a: 2, b: 'y' }]);
    await knex.schema.dropTable('by_knex');
    await knex.destroy();
  },

  async sequelize() {
    const { Sequelize, DataTypes } = require('sequelize');
    const sequelize = new Sequelize(url, { logging: false });
    await sequelize.authenticate();
    const reflected = sequelize.getQueryInterface();
    assert.ok((await reflected.showAllTables()).includes('lineitem'));
    assert.ok('o_orderkey' in await reflected.describeTable('orders'));
    const Own = sequelize.define('own', { a: { type: DataTypes.INTEGER, primaryKey: true }, b: DataTypes.TEXT },
      { tableName: 'by_sequelize', timestamps: false });
    await Own.sync();
    await sequelize.query('INSERT INTO by_sequelize VALUES (:a, :b)', { replacements: { a: 1, b: "x'y" } });
    assert.equal((await Own.findAll({ where: { a: 1 } }))[0].b, "x'y");
    assert.equal((await reflected.showIndex('by_sequelize')).length, 1);
    await Own.drop();
    await sequelize.close();
  },

  async typeorm() {
    require('reflect-metadata');
    const { DataSource, EntitySchema } = require('typeorm');
    const Nation = new EntitySchema({
      name: 'nation', columns: { n_nationkey: { type: 'bigint', primary: true }, n_name: { type: 'text' } },
    });
    const source = new DataSource({ type: 'postgres', url, entities: [Nation] });
    await source.initialize();
    assert.equal((await source.getRepository('nation').findOneBy({ n_name: 'CANADA' })).n_nationkey, '3');
    const runner = source.createQueryRunner();
    assert.equal((await runner.getTable('orders')).columns.length, 9);
    await source.destroy();
  },

  async kysely() {
    const { Kysely, PostgresDialect } = require('kysely');
    const { Pool } = require('pg');
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) });
    assert.ok((await db.introspection.getTables()).some((table) => table.name === 'lineitem'));
    const { n } = await db.selectFrom('orders').where('o_orderdate', '<', '1995-01-01')
      .select((of) => of.fn.countAll().as('n')).executeTakeFirstOrThrow();
    assert.equal(Number(n), BEFORE);
    await db.schema.createTable('by_kysely').addColumn('a', 'integer', (column) => column.primaryKey()).execute();
    await db.insertInto('by_kysely').values([{ a: 1 }, { a: 2 }]).execute();
    assert.equal((await db.selectFrom('by_kysely').selectAll().execute()).length, 2);
    await db.schema.dropTable('by_kysely').execute();
    await db.destroy();
  },

  async drizzle() {
    const { drizzle } = require('drizzle-orm/node-postgres');
    const { bigint, pgTable, text } = require('drizzle-orm/pg-core');
    const { eq } = require('drizzle-orm');
    const { Pool } = require('pg');
    const pool = new Pool({ connectionString: url });
    const nation = pgTable('nation', { key: bigint('n_nationkey', { mode: 'number' }).primaryKey(), name: text('n_name') });
    assert.deepEqual(await drizzle(pool).select().from(nation).where(eq(nation.name, 'CANADA')), [{ key: 3, name: 'CANADA' }]);
    await pool.end();
    // What drizzle-kit reads of a schema becomes source.
    const folder = require('node:fs').mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'drizzle-'));
    const kit = require('node:path').join(process.env.NODE_PATH, '.bin/drizzle-kit');
    const done = require('node:child_process').spawnSync(kit, ['pull', '--dialect', 'postgresql', '--url', url, '--out', folder],
      { encoding: 'utf8', timeout: 60000 });
    assert.equal(done.status, 0, (done.stderr || done.stdout).split('\n').filter((line) => /rror/.test(line)).join(' / '));
    assert.match(require('node:fs').readFileSync(`${folder}/schema.ts`, 'utf8'), /pgTable\("lineitem"/);
  },
};

sessions[name]().catch((error) => {
  console.error(String(error.message ?? error).split('\n').slice(0, 6).join(' '));
  process.exit(1);
});
