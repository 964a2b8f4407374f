import { expect, test, vi } from "vitest";

import { aDatabaseProxy } from "#server/testing/a-database-proxy.ts";

import { connect } from "./client.ts";
import { pool } from "./pool.ts";

// Tests the patched driver (server/cli/bootstrap/patch-postgres.mjs).

test("a pool whose connections break under load works as soon as the database is back", async () => {
  const door = await aDatabaseProxy();
  const connection = connect(door.url);
  let isOver = false;
  const served: number[] = [];
  const callers = Array.from({ length: 30 }, async (_, caller) => {
    while (!isOver)
      try {
        await connection.sql.begin(async (tx) => {
          await tx`select 1`;
          await tx`select 2`;
        });
        served[caller] = performance.now();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
  });
  for (let cut = 0; cut < 5; cut++) {
    await door.shut();
    await door.reopen();
    const openedAt = performance.now();
    await expect
      .poll(() => callers.every((_, caller) => (served[caller] ?? 0) > openedAt), {
        interval: 20,
      })
      .toBe(true);
  }
  isOver = true;
  await Promise.all(callers);
  await connection.close();
  await door.shut();
});

test("a connection lost while the driver reads the array types fails only its own query", async () => {
  const door = await aDatabaseProxy();
  const connection = connect(door.url, { max: 1 });
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  door.cutOn("pg_type");
  const numbers = () => connection.sql`select '{1,2}'::int[] as numbers`;
  await expect(numbers()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect([...(await numbers())]).toEqual([{ numbers: [1, 2] }]);
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  await connection.close();
  await door.shut();
});

test("a transaction that lost its connection writes nothing more", async () => {
  await pool().sql`create table lost_connections (number int)`;
  const door = await aDatabaseProxy();
  const connection = connect(door.url, { max: 1 });
  const late: string[] = [];
  const cut = connection.sql.begin(async (tx) => {
    await tx`insert into lost_connections values (1)`;
    await door.shut();
    await door.reopen();
    // The pool reopens its only connection for this one.
    await connection.sql`select 1`.catch(() => connection.sql`select 1`);
    try {
      await tx`insert into lost_connections values (2)`;
      late.push("written");
    } catch (error) {
      late.push((error as { code: string }).code);
    }
  });
  await expect(cut).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await expect.poll(() => late).toEqual(["CONNECTION_CLOSED"]);
  expect(await pool().sql`select number from lost_connections`).toEqual([]);
  await connection.close();
  await door.shut();
});
