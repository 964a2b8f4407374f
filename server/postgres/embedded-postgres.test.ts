import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { connect } from "#server/db/client.ts";

import { runningPort } from "./cluster.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

// initdb and recovery take seconds on an idle machine, and much longer on a busy one.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-postgres-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function ask(url: string, statement: string) {
  const connection = connect(url, { max: 1 });
  try {
    return await connection.sql.unsafe(statement);
  } finally {
    await connection.close();
  }
}

test("a second start finds the data of the first", async () => {
  const cluster = join(folder, "postgres");
  const first = await startEmbeddedPostgres({ folder: cluster });
  await ask(first.url, "create table kept as select 7 as number");
  await first.stop();
  expect(await runningPort(cluster)).toBeNull();

  const second = await startEmbeddedPostgres({ folder: cluster });
  expect(await ask(second.url, "select number from kept")).toEqual([{ number: 7 }]);
  expect(second.url).toContain(`:${String(await runningPort(cluster))}/`);
  await second.stop();
});

test("runs in a folder whose parents other users can't read", async () => {
  const closed = join(folder, "closed");
  await mkdir(closed);
  await chmod(closed, 0o700);
  const server = await startEmbeddedPostgres({ folder: join(closed, "data/postgres") });
  expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("recovers from a kill -9 of the server", async () => {
  const cluster = join(folder, "postgres");
  const first = await startEmbeddedPostgres({ folder: cluster });
  await ask(first.url, "create table kept as select 7 as number");
  const ended = once(first.process, "exit");
  process.kill(first.process.pid!, "SIGKILL");
  await ended;

  const second = await startEmbeddedPostgres({ folder: cluster });
  expect(await ask(second.url, "select number from kept")).toEqual([{ number: 7 }]);
  await second.stop();
});

test("a server that outlives its appliance keeps the cluster locked until it exits", async () => {
  const cluster = join(folder, "postgres");
  const first = await startEmbeddedPostgres({ folder: cluster });
  // The lock holds even if the pid file is removed.
  await rm(join(cluster, "postmaster.pid"));
  const ended = once(first.process, "exit");
  setTimeout(() => first.process.kill("SIGKILL"), 1_000);
  const since = performance.now();
  const second = await startEmbeddedPostgres({ folder: cluster });
  expect(performance.now() - since).toBeGreaterThan(900);
  await ended;
  await second.stop();
});

test("a server that can't start gives its own reason, not the last line of its log", async () => {
  const cluster = join(folder, "postgres");
  const first = await startEmbeddedPostgres({ folder: cluster });
  await first.stop();
  const lines: string[] = [];
  const start = (settings: Record<string, string>) =>
    startEmbeddedPostgres({ folder: cluster, settings, onLine: (line) => lines.push(line) });
  await expect(start({ shared_buffers: "99TB" })).rejects.toThrow(
    /^Postgres did not start: .*shared_buffers/,
  );

  // Its last lines are then "aborting startup" and "database system is shut down".
  await rm(join(cluster, "pg_wal"), { recursive: true });
  lines.length = 0;
  await expect(start({})).rejects.toThrow(/^Postgres did not start: .*pg_wal" does not exist$/);
  expect(lines.at(-1)).not.toContain("FATAL");
});

test("names the missing password file of a cluster", async () => {
  const cluster = join(folder, "postgres");
  const first = await startEmbeddedPostgres({ folder: cluster });
  await first.stop();
  await rm(`${cluster}.password`);
  await expect(startEmbeddedPostgres({ folder: cluster })).rejects.toThrow(/postgres\.password/);
});

test("a shutdown that takes more than a few seconds is still clean", async () => {
  const lines: string[] = [];
  const server = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    onLine: (line) => lines.push(line),
  });
  const [found] = await ask(
    server.url,
    "select pid from pg_stat_activity where backend_type = 'checkpointer'",
  );
  const checkpointer = Number(found!.pid);
  // Simulates a slow disk.
  process.kill(checkpointer, "SIGSTOP");
  setTimeout(() => process.kill(checkpointer, "SIGCONT"), 3_000);
  await server.stop();
  expect(lines.at(-1)).toContain("database system is shut down");
  expect(lines.join("\n")).not.toContain("immediate shutdown");
});
