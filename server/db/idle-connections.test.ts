import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { config } from "#server/config.ts";

import { connect } from "./client.ts";

test("a pool keeps only the connections that it needs", async () => {
  const connection = connect(config().databaseUrl!, { max: 8, idleSeconds: 1 });
  const pids = async () => {
    const answers = await Promise.all(
      Array.from(
        { length: 8 },
        () => connection.sql`select pg_backend_pid() as pid, pg_sleep(0.2)`,
      ),
    );
    return answers.map(([row]) => row!.pid as number);
  };
  const opened = new Set(await pids());
  expect(opened.size).toBe(8);
  const stillOpen = async () => {
    const [row] = await connection.sql`
      select count(*)::int as count from pg_stat_activity where pid = any(${[...opened]})`;
    return row!.count as number;
  };
  // Several queries in each second, as from loops that poll.
  await expect.poll(stillOpen, { interval: 100 }).toBe(1);
  // The closed ones open again when they are needed.
  expect(new Set(await pids()).size).toBe(8);
  await connection.close();
});

test("a pool that watches its connection keeps it", async () => {
  let closed = 0;
  const connection = connect(config().databaseUrl!, {
    ...{ max: 1, idleSeconds: 1 },
    onClose: () => closed++,
  });
  await connection.sql`select 1`;
  await sleep(2_500);
  expect(closed).toBe(0);
  await connection.close();
});
