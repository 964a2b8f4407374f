import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { auditEntries, dkimKeys, domainFindings, domains } from "#drizzle/schema/index.ts";
import { rotateDkimKeys, rotateOldKeys } from "#server/core/domains/domains/rotate-dkim-keys.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { loadSigningDomains, deleteRetiredKeys } from "#server/core/sending/dkim/dkim-keys.ts";
import { db } from "#server/db/pool.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";
import { aCompany, aContext, aDomain, anAdmin } from "#server/testing/factories.ts";
import { aDnsZone, type DnsZone } from "#server/testing/dns-zone.ts";
import type { FakeDns } from "#server/testing/fake-dns.ts";
import { publishRecords } from "#server/testing/publish-records.ts";

import { checkRecords } from "./check-records.ts";

// Local mode provides no DNS records.
config().localMode = false;

let zone: DnsZone;
let first: FakeDns;
let second: FakeDns;
let dns: ZoneDns;
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeAll(async () => {
  zone = await aDnsZone();
  ({ first, second, dns } = zone);
});
afterAll(() => zone.close());

beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  zone.delegate(domain.name);
  await check();
  await publish(first, second);
  await check();
});

const check = () => checkRecords(aContext(domain.companyId), domain.id, { dns, mode: "recheck" });
const rotate = () => rotateDkimKeys(aContext(domain.companyId), domain.id);
async function publish(...servers: FakeDns[]) {
  for (const server of servers) await publishRecords(server, domain);
}
const keysIn = async (state: "active" | "next" | "retired") =>
  (
    await db()
      .select()
      .from(dkimKeys)
      .where(and(eq(dkimKeys.domainId, domain.id), eq(dkimKeys.state, state)))
      .orderBy(dkimKeys.algorithm)
  ).map(({ selector }) => selector);
const signing = async () => {
  const signer = (await loadSigningDomains(db(), [domain.id])).get(domain.id);
  return signer && "keys" in signer ? signer.keys.map(({ selector }) => selector) : signer;
};
const statusOf = async () =>
  (await db().select().from(domains).where(eq(domains.id, domain.id)))[0]!.status;
const nextFindings = async () =>
  (
    await db()
      .select({ record: domainFindings.record })
      .from(domainFindings)
      .where(eq(domainFindings.domainId, domain.id))
  ).filter(({ record }) => record.endsWith("_next"));
const audited = async () =>
  (
    await db()
      .select({ action: auditEntries.action })
      .from(auditEntries)
      .where(eq(auditEntries.companyId, domain.companyId))
      .orderBy(auditEntries.id)
  ).map(({ action }) => action);

test("an Ed25519 key signs once all name servers have it, and no longer when it is gone", async () => {
  const before = await keysIn("active");
  expect(before).toHaveLength(2);
  expect(await signing()).toEqual(before);
  const name = `${before[1]!}._domainkey.${domain.name}`;
  for (const { records } of [first, second]) Reflect.deleteProperty(records, name);
  await checkRecords(aContext(domain.companyId), domain.id, { dns, mode: "verify" });
  expect(await signing()).toEqual(before.slice(0, 1));
  await publish(first);
  await check();
  expect(await signing()).toEqual(before.slice(0, 1));
  await publish(second);
  await check();
  expect(await signing()).toEqual(before);
});

test("the current keys sign until all name servers have the next ones, and then retire", async () => {
  const before = await keysIn("active");
  expect(await rotate()).toBe(true);
  expect(await rotate()).toBe(false);
  const next = await keysIn("next");
  expect(next).toHaveLength(2);
  await check();
  await publish(first);
  await check();
  expect(await signing()).toEqual(before);
  for (const selector of next) second.records[`${selector}._domainkey.${domain.name}`] = "SERVFAIL";
  await check();
  expect(await signing()).toEqual(before);

  await publish(second);
  await check();
  expect(await signing()).toEqual(next);
  expect(await keysIn("active")).toEqual(next);
  expect(await keysIn("next")).toEqual([]);
  expect(await keysIn("retired")).toEqual(before);
  expect(await audited()).toEqual([
    "domain.dkim_rotated",
    "domain.dkim_key_activated",
    "domain.dkim_key_activated",
  ]);
});

test("the domain keeps sending if the old record is deleted right after the switch", async () => {
  await rotate();
  await publish(first, second);
  await check();
  // Publishes the records of the current keys only.
  await publish(first, second);
  await checkRecords(aContext(domain.companyId), domain.id, { dns, mode: "verify" });
  expect(await statusOf()).toBe("verified");
  expect(await nextFindings()).toEqual([]);
});

test("a check that began before the switch doesn't undo it", async () => {
  await rotate();
  const next = await keysIn("next");
  await publish(first, second);
  const asked = Promise.withResolvers<true>();
  const goOn = Promise.withResolvers<true>();
  const slow: ZoneDns = {
    ...dns,
    askAll: async (questions) => {
      const answers = await dns.askAll(questions);
      asked.resolve(true);
      await goOn.promise;
      return answers.map((found) => found.map((one) => ({ ...one, kind: "no_name", records: [] })));
    },
  };
  const early = checkRecords(aContext(domain.companyId), domain.id, { dns: slow, mode: "verify" });
  await asked.promise;
  await Promise.all([check(), check()]);
  goOn.resolve(true);
  await early;
  expect(await signing()).toEqual(next);
  expect(await nextFindings()).toEqual([]);
  expect(await statusOf()).toBe("verified");
});

test("a domain without a published key can't rotate", async () => {
  const { id, companyId } = await aDomain((await aCompany()).id);
  await db().update(dkimKeys).set({ seenAt: null }).where(eq(dkimKeys.domainId, id));
  await expect(rotateDkimKeys(aContext(companyId), id)).rejects.toMatchObject({
    reason: "invalid",
  });
});

test("keys are replaced after a year, and the owners are notified once, with the records to publish", async () => {
  const { email } = await anAdmin(domain.companyId, { isOwner: true });
  const jobs = async () =>
    db().execute<{ payload: Parameters<typeof sendNotice>[1] }>(sql`
      select payload from graphile_worker._private_jobs
      where key like 'send_notice:%' and payload ->> 'companyId' = ${domain.companyId}`);
  await rotateOldKeys(db());
  expect(await jobs()).toHaveLength(0);
  await db()
    .update(dkimKeys)
    .set({ createdAt: sql`clock_timestamp() - interval '366 days'` })
    .where(eq(dkimKeys.domainId, domain.id));
  await Promise.all([rotateOldKeys(db()), rotateOldKeys(db())]);
  await rotateOldKeys(db());
  const [next, other] = await keysIn("next");
  const found = await jobs();
  expect(found).toHaveLength(1);
  await sendNotice(db(), found[0]!.payload);
  const [sent] = await db().execute<{ subject: string; text: string }>(sql`
    select e.subject, b.text from emails e join email_bodies b on b.email_id = e.id
    where e."to" = array[${email}]`);
  expect(sent!.subject).toBe(`Publish the new DKIM records for ${domain.name}`);
  for (const selector of [next!, other!])
    expect(sent!.text).toContain(`name ${selector}._domainkey.${domain.name}, value v=DKIM1; k=`);
});

test("a retired key is deleted after its signatures have expired", async () => {
  await rotate();
  await publish(first, second);
  await check();
  const retired = await keysIn("retired");
  expect(retired).toHaveLength(2);
  const letPass = (days: number) =>
    db()
      .update(dkimKeys)
      .set({ retiredAt: sql`clock_timestamp() - make_interval(days => ${days})` })
      .where(and(eq(dkimKeys.domainId, domain.id), eq(dkimKeys.state, "retired")));
  await letPass(7);
  await deleteRetiredKeys(db());
  expect(await keysIn("retired")).toEqual(retired);
  await letPass(9);
  await deleteRetiredKeys(db());
  expect(await keysIn("retired")).toEqual([]);
});
