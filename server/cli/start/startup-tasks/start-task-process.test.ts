import { expect, test } from "vitest";

import { Display } from "#server/cli/display.mjs";
import { config } from "#server/config.ts";
import { lockConnection } from "#server/db/advisory-locks.ts";
import { connect } from "#server/db/client.ts";

import { startTaskProcess } from "./start-task-process.ts";

test("a task whose process ends fails at its step, and shows that once", async () => {
  const databaseUrl = config().databaseUrl!;
  const other = connect(databaseUrl, { max: 1, idleSeconds: null });
  await lockConnection(other.sql, "migration");
  const lines: string[] = [];
  const display = new Display();
  display.line = (text) => lines.push(text!);
  const tasks = startTaskProcess(display, null);
  const migrated = tasks.run({ task: "migrate", databaseUrl });
  const waiting = () => other.sql`
    select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(waiting).toHaveLength(1);

  const failed = expect(migrated).rejects.toSatisfy((error) => display.wasShown(error));
  await tasks.stop();
  await failed;
  expect(lines).toEqual(["✗ Schema: the process of the start-up tasks ended (SIGKILL)"]);
  await other.close();
});
