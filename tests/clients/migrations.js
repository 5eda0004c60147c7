// Migrations of Drizzle, TypeORM and Knex: `migrations.js HOST PORT FOLDER`. Each makes tables, changes them and their rows; a second
// run does nothing, one that fails leaves nothing, and those that can go down do.
'use strict';

const assert = require('node:assert').strict;
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
require('reflect-metadata');
const { Client, Pool } = require('pg');

const [host, port] = process.argv.slice(2);
const options = { host, port: Number(port), user: 'u', database: 'd' };

// What each of them makes: tables, then rows, then other columns and constraints.
const STEPS = [
  (name) => [
    `CREATE TYPE "${name}_kind" AS ENUM('small', 'large')`,
    `CREATE TABLE "${name}" (
      "id" serial PRIMARY KEY NOT NULL,
      "name" varchar(40) NOT NULL,
      "kind" "${name}_kind" DEFAULT 'small' NOT NULL,
      CONSTRAINT "${name}_name_unique" UNIQUE("name"))`,
    `CREATE TABLE "${name}_sale" (
      "id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "${name}_sale_id_seq" INCREMENT BY 1 MINVALUE 1 START WITH 1 CACHE 1),
      "${name}_id" integer NOT NULL,
      "amount" numeric(10, 2) NOT NULL,
      "at" timestamp with time zone DEFAULT now())`,
    `ALTER TABLE "${name}_sale" ADD CONSTRAINT "${name}_sale_fk" FOREIGN KEY ("${name}_id") REFERENCES "public"."${name}"("id")
      ON DELETE cascade ON UPDATE no action`,
    `CREATE INDEX "${name}_sale_at" ON "${name}_sale" USING btree ("at" DESC NULLS LAST)`,
  ],
  (name) => [
    `INSERT INTO "${name}" ("name") VALUES ('corner'), ('market')`,
    `INSERT INTO "${name}_sale" ("${name}_id", "amount") SELECT "id", "id" * 10.5 FROM "${name}"`,
    `UPDATE "${name}" SET "kind" = 'large' WHERE "name" = 'market'`,
  ],
  (name) => [
    `ALTER TABLE "${name}" ADD COLUMN "city" text DEFAULT 'here' NOT NULL`,
    `UPDATE "${name}" SET "city" = upper("name")`,
    `ALTER TABLE "${name}" ALTER COLUMN "city" DROP DEFAULT`,
    `ALTER TABLE "${name}" RENAME COLUMN "name" TO "called"`,
    `ALTER TABLE "${name}_sale" ALTER COLUMN "amount" SET DATA TYPE numeric(12, 3)`,
    `ALTER TABLE "${name}_sale" ADD CONSTRAINT "${name}_paid" CHECK ("amount" >= 0)`,
    `ALTER TABLE "${name}" DROP CONSTRAINT "${name}_name_unique"`,
    `ALTER TABLE "${name}" ADD CONSTRAINT "${name}_place" UNIQUE("city", "called")`,
    `DROP INDEX "${name}_sale_at"`,
  ],
];

// The way back.
const BACK = [
  (name) => [`DROP TABLE "${name}_sale"`, `DROP TABLE "${name}"`, `DROP TYPE "${name}_kind"`],
  (name) => [`DELETE FROM "${name}"`],
  (name) => [
    `CREATE INDEX "${name}_sale_at" ON "${name}_sale" USING btree ("at" DESC NULLS LAST)`,
    `ALTER TABLE "${name}" DROP CONSTRAINT "${name}_place"`,
    `ALTER TABLE "${name}_sale" DROP CONSTRAINT "${name}_paid"`,
    `ALTER TABLE "${name}" RENAME COLUMN "called" TO "name"`,
    `ALTER TABLE "${name}" ADD CONSTRAINT "${name}_name_unique" UNIQUE("name")`,
    `ALTER TABLE "${name}" DROP COLUMN "city"`,
  ],
];

// A step that fails in its last statement.
const wrong = (name) => [
  `CREATE TABLE "${name}_half" ("a" integer)`,
  `UPDATE "${name}" SET "city" = 'nowhere'`,
  `ALTER TABLE "${name}" ADD CONSTRAINT "${name}_none" CHECK ("city" <> 'nowhere')`,
];

async function refused(work) {
  // Some of them wrap the driver's error.
  await assert.rejects(work, (error) => { assert.equal((error.cause ?? error.driverError ?? error).code, '23514'); return true; });
}

async function rows(client, text) {
  return (await client.query({ text, rowMode: 'array' })).rows;
}

async function isUp(client, name) {
  assert.deepEqual(await rows(client, `SELECT "called", "kind", "city" FROM "${name}" ORDER BY "id"`),
    [['corner', 'small', 'CORNER'], ['market', 'large', 'MARKET']]);
  assert.deepEqual(await rows(client, `SELECT "id"::int, "amount" FROM "${name}_sale" ORDER BY "id"`), [[1, '10.500'], [2, '21.000']]);
  assert.deepEqual(await rows(client, `SELECT to_regclass('${name}_half'), to_regclass('${name}_sale_at')`), [[null, null]]);
}

async function isHalfDown(client, name) {
  assert.deepEqual(await rows(client, `SELECT "name", "kind" FROM "${name}" ORDER BY "id"`), [['corner', 'small'], ['market', 'large']]);
}

async function isDown(client, name) {
  assert.deepEqual(await rows(client, `SELECT to_regclass('${name}'), to_regclass('${name}_sale'), to_regtype('${name}_kind')`), [[null, null, null]]);
}

const parts = {
  async drizzle(client) {
    const { drizzle } = require('drizzle-orm/node-postgres');
    const { migrate } = require('drizzle-orm/node-postgres/migrator');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'drizzle-'));
    const write = (steps) => {
      fs.mkdirSync(path.join(folder, 'meta'), { recursive: true });
      const entries = steps.map((step, idx) => {
        const tag = `000${idx}_step`;
        fs.writeFileSync(path.join(folder, `${tag}.sql`), step('dz').join(';\n--> statement-breakpoint\n'));
        return { idx, version: '7', when: 1700000000000 + idx, tag, breakpoints: true };
      });
      fs.writeFileSync(path.join(folder, 'meta/_journal.json'), JSON.stringify({ version: '7', dialect: 'postgresql', entries }));
    };
    const pool = new Pool(options);
    const run = () => migrate(drizzle(pool), { migrationsFolder: folder });
    write(STEPS.slice(0, 1));
    await run();
    write(STEPS);
    await run();
    await isUp(client, 'dz');
    await run();
    await isUp(client, 'dz');
    assert.equal((await rows(client, 'SELECT count(*)::int FROM drizzle.__drizzle_migrations'))[0][0], 3);
    write([...STEPS, wrong]);
    await refused(run());
    await isUp(client, 'dz');
    assert.equal((await rows(client, 'SELECT count(*)::int FROM drizzle.__drizzle_migrations'))[0][0], 3);
    await pool.end();
    fs.rmSync(folder, { recursive: true });
  },

  async typeorm(client) {
    const { DataSource } = require('typeorm');
    const step = (up, down, at) => {
      const run = async (runner, statements) => { for (const text of statements) await runner.query(text); };
      return class {
        constructor() { this.name = `Step${1700000000000 + at}`; }

        up(runner) { return run(runner, up('ty')); }

        down(runner) { return run(runner, down('ty')); }
      };
    };
    const migrations = STEPS.map((up, at) => step(up, BACK[at], at));
    const source = async (all) => new DataSource({ type: 'postgres', host, port: Number(port), username: 'u', database: 'd', migrations: all }).initialize();
    let data = await source(migrations);
    assert.equal((await data.runMigrations()).length, 3);
    await isUp(client, 'ty');
    assert.equal(await data.showMigrations(), false);
    assert.equal((await data.runMigrations()).length, 0);
    await data.destroy();
    data = await source([...migrations, step(wrong, () => [], 9)]);
    assert.equal(await data.showMigrations(), true);
    await refused(data.runMigrations({ transaction: 'each' }));
    await isUp(client, 'ty');
    await data.destroy();
    data = await source(migrations);
    await data.undoLastMigration();
    await isHalfDown(client, 'ty');
    await data.undoLastMigration();
    await data.undoLastMigration();
    await isDown(client, 'ty');
    await data.destroy();
  },

  async knex(client) {
    const make = require('knex');
    const of = (all) => ({
      getMigrations: async () => all.map((_, at) => ({ at })),
      getMigrationName: ({ at }) => `step_${at}`,
      getMigration: async ({ at }) => all[at],
    });
    const step = (up, down) => {
      const run = async (transaction, statements) => { for (const text of statements) await transaction.raw(text); };
      return { up: (transaction) => run(transaction, up('kn')), down: (transaction) => run(transaction, down('kn')) };
    };
    const migrations = STEPS.map((up, at) => step(up, BACK[at]));
    const knex = make({ client: 'pg', connection: options, pool: { min: 0, max: 3 } });
    const source = { migrationSource: of(migrations) };
    await knex.migrate.up(source);
    const [batch, run] = await knex.migrate.latest(source);
    assert.deepEqual([batch, run], [2, ['step_1', 'step_2']]);
    await isUp(client, 'kn');
    assert.deepEqual(await knex.migrate.latest(source), [2, []]);
    await refused(knex.migrate.latest({ migrationSource: of([...migrations, step(wrong, () => [])]) }));
    await isUp(client, 'kn');
    await knex.migrate.down(source);
    await isHalfDown(client, 'kn');
    await knex.migrate.rollback(source, true);
    await isDown(client, 'kn');
    await knex.destroy();
  },
};

async function main() {
  const client = new Client(options);
  await client.connect();
  const failed = [];
  for (const [name, part] of Object.entries(parts)) {
    try {
      await part(client);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED ${name}\n${error.stack}\n${error.cause?.stack ?? ''}`);
    }
  }
  await client.end();
  if (failed.length > 0) {
    console.error(`failed: ${failed.join(', ')}`);
  }
  process.exit(failed.length > 0 ? 1 : 0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
