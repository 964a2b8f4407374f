import { beforeEach, expect, test } from "vitest";

import { mailLog, signInNetworks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { checkClientAddresses } from "./check-client-addresses.ts";

const GATEWAYS = ["172.18.0.1", "fd5c:8f3a:27d1::1"];

beforeEach(async () => {
  await db().delete(mailLog);
  await db().delete(signInNetworks);
});

type More = { createdAt?: string; hosts?: number };

const connect = (clientAddress: string, times: number, { createdAt, hosts = 1 }: More = {}) =>
  db()
    .insert(mailLog)
    .values(
      Array.from({ length: times }, (_, at) => ({
        helo: `mx${at % hosts}.example.test`,
        kind: "received" as const,
        clientAddress,
        reply: "250 2.0.0 Accepted",
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

test("nearly all mail from one private address is a failure, until other addresses are seen", async () => {
  await connect("10.0.0.9", 45, { hosts: 5 });
  await connect("198.51.100.7", 5);
  // This machine's own, which is no client.
  await connect("127.0.0.1", 30);
  expect(await checkClientAddresses(db(), GATEWAYS)).toMatchObject({
    state: "failed",
    found: expect.stringContaining(
      "45 of the newest 50 SMTP log entries have the address 10.0.0.9 instead",
    ) as string,
    advice: expect.stringContaining("POSTHOUSE_PROXY_PROTOCOL") as string,
  });
  await connect("198.51.100.8", 1);
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
});

test("all mail from the gateway is a failure, whatever the clients' names", async () => {
  await connect("172.18.0.1", 20);
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("failed");
});

test.each([
  ["an internal server", "10.0.0.9", 4],
  ["one public address", "93.184.215.14", 9],
])("all mail from %s is fine", async (_name, address, hosts) => {
  await connect(address, 100, { hosts });
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
});

const signIn = (network: string, accounts: number, lastSeenAt?: string) =>
  db()
    .insert(signInNetworks)
    .values(
      Array.from({ length: accounts }, (_, at) => ({
        account: `a${at}@example.test`,
        network,
        ...(lastSeenAt && { lastSeenAt }),
      })),
    );

test("sign-ins of many accounts from one private address are a warning", async () => {
  await signIn("10.0.0.9", 9);
  await signIn("198.51.100.7", 1);
  await signIn("198.51.100.9", 9, "2020-01-01T00:00:00Z");
  await signIn("127.0.0.1", 50);
  expect(await checkClientAddresses(db(), GATEWAYS)).toMatchObject({
    state: "warning",
    found: expect.stringContaining("9 accounts signed in from 10.0.0.9") as string,
  });
  await signIn("198.51.100.8", 1);
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
});

test("sign-ins from one private IPv6 network are fine: it can be an office", async () => {
  await signIn("fd00:1::/64", 20);
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
});

test("only the last day counts", async () => {
  await connect("172.18.0.1", 20, { createdAt: "2020-01-01T00:00:00Z" });
  expect((await checkClientAddresses(db(), GATEWAYS)).state).toBe("ok");
});
