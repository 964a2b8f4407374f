import { eq } from "drizzle-orm";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { createZoneDns } from "#server/gateways/zone-dns.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { publishRecords } from "#server/testing/publish-records.ts";

import { startRechecker } from "./rechecker.ts";

let server: FakeDns;
const running: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  await db().delete(domains);
  server = await aDnsServer();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((rechecker) => rechecker.stop()));
  await server.close();
});

function start() {
  const dns = createZoneDns({ dnsServers: [server], allowPrivate: true });
  running.push(startRechecker({ db: db(), dns, log: pino({ level: "silent" }), sleepMs: 20 }));
}
const LONG_AGO = "2026-01-01T00:00:00Z";
const due = async (checkedAt = LONG_AGO) =>
  aDomain((await aCompany()).id, { status: "pending", checkedAt });
const statusOf = async ({ id }: { id: string }) =>
  (await db().select().from(domains).where(eq(domains.id, id)))[0]?.status;

test("several workers check each due domain once", async () => {
  const all = await Promise.all([due(), due(), due()]);
  for (const domain of all) await publishRecords(server, domain);
  for (let workers = 0; workers < 3; workers++) start();
  for (const domain of all)
    await vi.waitFor(async () => expect(await statusOf(domain)).toBe("verified"));
  for (const { name } of all)
    expect(server.questions.filter((question) => question === `MX ${name}`)).toHaveLength(1);
});

test("a domain that can't be checked does not delay the next one", async () => {
  const gone = await due();
  const silent = await due();
  for (const name of [gone.name, silent.name]) server.records[name] = "TIMEOUT";
  start();
  await vi.waitFor(() => expect(server.questions.join()).toContain(silent.name));
  await db().delete(domains).where(eq(domains.id, gone.id));
  const next = await due(new Date().toISOString());
  await publishRecords(server, next);
  await db().update(domains).set({ checkedAt: LONG_AGO }).where(eq(domains.id, next.id));
  await vi.waitFor(async () => expect(await statusOf(next)).toBe("verified"));
});
