import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { expect, test } from "vitest";

import { config } from "#server/config.ts";

import { connect } from "./client.ts";
import { requireDurableCommits } from "./durable-commits.ts";

const url = config().databaseUrl!;

test("commits wait for the disk, whatever the server's default", async () => {
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

test("rejects a connection string that turns this off", async () => {
  const careless = new URL(url);
  careless.searchParams.set("synchronous_commit", "off");
  await expect(requireDurableCommits(careless.href)).rejects.toThrow(
    /DATABASE_URL: synchronous_commit is off/,
  );
});

test("the error for a PgBouncer that rejects the parameter names its setting", async () => {
  const fields = "SFATAL\0C08P01\0Munsupported startup parameter: synchronous_commit\0\0";
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  const pooler = createServer((socket) => {
    socket.once("data", () =>
      socket.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)])),
    );
  }).listen(0, "127.0.0.1");
  await once(pooler, "listening");
  const { port } = pooler.address() as AddressInfo;
  await expect(requireDurableCommits(`postgres://a:b@127.0.0.1:${port}/c`)).rejects.toThrow(
    /DATABASE_URL: .*Add synchronous_commit to ignore_startup_parameters/,
  );
  pooler.close();
});
