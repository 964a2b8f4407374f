import { expect, test } from "vitest";

import { config } from "#server/config.ts";

import { connect } from "./client.ts";
import { requireDurableCommits } from "./durable-commits.ts";

const url = config().databaseUrl!;

test("connections wait for the disk at commit, whatever the server's default is", async () => {
  const connection = connect(url, { max: 1 });
  try {
    const [row] = await connection.sql`
      select current_setting('synchronous_commit') as mode, reset_val, source
      from pg_settings where name = 'synchronous_commit'`;
    expect(row).toEqual({ mode: "on", reset_val: "on", source: "client" });
  } finally {
    await connection.close();
  }
  await requireDurableCommits(url);
});

test("a connection string that switches it off is refused", async () => {
  const careless = new URL(url);
  careless.searchParams.set("synchronous_commit", "off");
  await expect(requireDurableCommits(careless.href)).rejects.toThrow(
    /DATABASE_URL: synchronous_commit is off/,
  );
});
