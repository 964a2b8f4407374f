import { beforeEach, expect, test } from "vitest";

import { mailLog } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { checkClientAddresses } from "./check-client-addresses.ts";

const GATEWAYS = ["172.18.0.1", "fd5c:8f3a:27d1::1"];

beforeEach(() => db().delete(mailLog));

const connect = (clientAddress: string, times: number, createdAt?: string) =>
  db()
    .insert(mailLog)
    .values(
      Array.from({ length: times }, () => ({
        ...{ kind: "received" as const, clientAddress, reply: "250 2.0.0 Accepted" },
        ...(createdAt && { createdAt }),
      })),
    );

test("clients with their own addresses are fine, and so are a few from the gateway", async () => {
  await connect("198.51.100.7", 20);
  await connect("172.18.0.1", 9);
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
  expect((await checkClientAddresses(db(), [])).state).toBe("ok");
});

test("many clients from the gateway are a warning, even if only IPv6 clients are hidden", async () => {
  await connect("198.51.100.7", 20);
  await connect("fd5c:8f3a:27d1::1", 10);
  expect(await checkClientAddresses(db(), GATEWAYS)).toMatchObject({
    state: "warning",
    found: expect.stringContaining(
      "10 of the newest 30 SMTP log entries have the address of the gateway, fd5c:8f3a:27d1::1",
    ) as string,
  });
});

test("only the last day counts", async () => {
  await connect("172.18.0.1", 20, "2020-01-01T00:00:00Z");
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
});
