import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { config } from "#server/config.ts";
import { connect } from "#server/db/client.ts";
import { db, pool } from "#server/db/pool.ts";

import { createWake, wakesSent } from "./wake.ts";

async function countNotifications(channel: string) {
  const counted = { notified: 0 };
  await pool().sql.listen(channel, () => counted.notified++);
  return counted;
}

test("notifies listeners once for several calls in a row", async () => {
  const counted = await countNotifications("wake_test");
  const wake = createWake("wake_test");
  wake(db());
  wake(db());
  await expect.poll(() => counted.notified).toBe(1);
});

test("rejects a transaction's handle, and the next call still notifies", async () => {
  const counted = await countNotifications("wake_test_transaction");
  const wake = createWake("wake_test_transaction");
  const waking = db().transaction(async (tx) => {
    await tx.execute(sql`select 1`);
    wake(tx);
  });
  await expect(waking).rejects.toThrow("after the commit");
  wake(db());
  await expect.poll(() => counted.notified).toBe(1);
});

test("waits for the notifications of a command that disconnects next", async () => {
  const counted = await countNotifications("wake_test_command");
  const connection = connect(config().databaseUrl!, { max: 1 });
  createWake("wake_test_command")(connection.db);
  await wakesSent();
  await connection.close();
  await expect.poll(() => counted.notified).toBe(1);
});
