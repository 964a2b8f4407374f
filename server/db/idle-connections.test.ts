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
  const backend = async (sql: (typeof pool)["sql"]) => {
    const [row] = await sql`select pg_backend_pid() as pid`;
    return row!.pid as number;
  };
  const backends = async () => {
    const reserved = await Promise.all(Array.from({ length: 8 }, () => pool.sql.reserve()));
    const pids = await Promise.all(reserved.map(backend));
    for (const sql of reserved) sql.release();
    return pids;
  };
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
