import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { config } from "#server/config.ts";

import { connect } from "./client.ts";

test("a pool keeps the connections that it needs, and those for session locks and onClose", async () => {
  const closed: string[] = [];
  const open = (options: Parameters<typeof connect>[1]) => connect(config().databaseUrl!, options);
  const pool = open({ max: 8, idleSeconds: 1 });
  const kept = [
    open({ max: 1, idleSeconds: null }),
    open({ max: 1, idleSeconds: 1, onClose: () => closed.push("by the driver") }),
  ];
  const backend = async (sql: (typeof pool)["sql"], seconds = 0) => {
    const [row] = await sql`select pg_backend_pid() as pid, pg_sleep(${seconds})`;
    return row!.pid as number;
  };
  // Not with reserve(): a call made while a connection is closing is never answered by the driver.
  const backends = () => Promise.all(Array.from({ length: 8 }, () => backend(pool.sql, 0.5)));
  const keptBackends = await Promise.all(kept.map(({ sql }) => backend(sql)));
  const opened = new Set(await backends());
  expect(opened.size).toBe(8);
  const stillOpen = async (pids: number[]) => {
    const [row] = await pool.sql`
      select count(*)::int as count from pg_stat_activity where pid = any(${pids})`;
    return row!.count as number;
  };
  // Several queries in each second, as from loops that poll.
  await expect.poll(() => stillOpen([...opened]), { interval: 100 }).toBe(1);
  expect(await stillOpen(keptBackends)).toBe(2);
  // The closed ones open again when they are needed.
  expect(new Set(await backends()).size).toBe(8);
  expect(closed).toEqual([]);
  await Promise.all([pool, ...kept].map((each) => each.close()));
});

test("short queries that start together share a connection, and slow ones get their own", async () => {
  const pool = connect(config().databaseUrl!, { max: 8 });
  const backend = async (seconds: number) => {
    const [row] = await pool.sql`select pg_backend_pid() as pid, pg_sleep(${seconds})`;
    return row!.pid as number;
  };
  const backends = async (...seconds: number[]) => new Set(await Promise.all(seconds.map(backend)));
  expect((await backends(0)).size).toBe(1);
  expect((await backends(0, 0, 0, 0)).size).toBe(1);
  const ended: number[] = [];
  await Promise.all(
    [0.01, 0.5, 0].map((seconds) => backend(seconds).then(() => ended.push(seconds))),
  );
  expect(ended).toEqual([0.01, 0, 0.5]);
  expect((await backends(0.5, 0.5, 0.5)).size).toBe(3);
  // Of these, one still waits for a connection when the pool is closed.
  const sleeping = [0.2, 0.2, 0.2, 0.2].map((seconds) =>
    pool.sql`select pg_sleep(${seconds})`.execute(),
  );
  void Promise.all(sleeping).then(() => ended.push(4));
  await pool.close();
  await setImmediate();
  expect(ended.at(-1)).toBe(4);
});
