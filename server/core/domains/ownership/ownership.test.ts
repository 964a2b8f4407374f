import { randomBytes } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";

import { auditEntries, type DnsFinding, type Domain, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { db } from "#server/db/pool.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import { addDomain, listDomains } from "#server/core/domains/domains/domains.ts";
import { recheckOwnership } from "#server/core/domains/dns-checks/rechecks.ts";
import { expireClaims } from "./claims.ts";
import { markOwnershipVerified } from "./ownership.ts";
import { ownershipValue } from "#server/core/domains/records/domain-records.ts";

const API = { via: "api" } as const;

let ann: Context;
let ben: Context;
let domain: Domain;
beforeEach(async () => {
  ann = aContext((await aCompany()).id);
  ben = aContext((await aCompany()).id);
  domain = await aDomain(ann.companyId, { name: `${randomBytes(6).toString("hex")}.test` });
});

const now = async () => (await db().select().from(domains).where(eq(domains.id, domain.id)))[0]!;
const age = (days: number) =>
  db().execute(sql`update domains set
    ownership_missing_since = ownership_missing_since - make_interval(secs => ${days * 86_400}),
    ownership_noticed_at = ownership_noticed_at - make_interval(secs => ${days * 86_400})
    where id = ${domain.id}`);
const missingFor = (days: number) =>
  db().execute(sql`update domains set ownership_missing_since =
    clock_timestamp() - make_interval(secs => ${days * 86_400}) where id = ${domain.id}`);
async function notices() {
  const rows = await db().execute<{ kind: string }>(sql`
    select payload -> 'notice' ->> 'kind' as kind
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${ann.companyId} order by j.id`);
  return rows.map(({ kind }) => kind);
}
const audited = async (action: string) =>
  (await db().select().from(auditEntries).where(eq(auditEntries.companyId, ann.companyId))).filter(
    (entry) => entry.action === action,
  ).length;

describe("The daily check of the ownership record", () => {
  type Says = Pick<DnsFinding, "kind" | "records">;
  const GONE: Says = { kind: "no_name", records: [] };
  const SILENT: Says = { kind: "failed", records: [] };

  async function check(says: Says) {
    const ask = vi.fn(() =>
      Promise.resolve([
        { server: "ns1.test", address: "192.0.2.1", cname: null, reason: null, ...says },
      ]),
    );
    await recheckOwnership(ann, domain.id, { ask } as unknown as ZoneDns);
    return ask.mock.calls.length;
  }

  test("runs once a day while the record is there", async () => {
    const there: Says = { kind: "found", records: [[ownershipValue(domain)]] };
    expect(await check(there)).toBe(1);
    expect(await check(there)).toBe(0);
    await db().execute(sql`update domain_findings set checked_at = checked_at - interval '25 hours'
      where domain_id = ${domain.id}`);
    expect(await check(there)).toBe(1);
    expect(await now()).toMatchObject({ ownershipMissingSince: null });
  });

  test("notifies admins after an hour, then weekly for 14 days, and mail keeps working", async () => {
    await check(GONE);
    expect(await notices()).toEqual([]);
    await age(1 / 23);
    await check(GONE);
    await check(GONE);
    expect(await notices()).toEqual(["ownership_missing"]);
    for (const [days, told] of [
      [6.9, 1],
      [0.2, 2],
      [7, 3],
      [7, 3],
    ] as const) {
      await age(days);
      await check(GONE);
      expect(await notices()).toHaveLength(told);
    }
    expect(await audited("domain.ownership_missing")).toBe(3);
    expect((await now()).ownershipProvenAt).not.toBeNull();
    expect(await now()).toMatchObject({ status: "verified" });
  });

  test("starts over when the record is found again, and ignores DNS failures", async () => {
    await check(GONE);
    const { ownershipMissingSince } = await now();
    await check(SILENT);
    expect(await now()).toMatchObject({ ownershipMissingSince });
    await check({ kind: "found", records: [[ownershipValue(domain)]] });
    expect(await now()).toMatchObject({ ownershipMissingSince: null, ownershipNoticedAt: null });
    expect(await notices()).toEqual([]);
  });
});

describe("A new company", () => {
  const claim = async () => (await addDomain(ben, { name: domain.name }, API)).domain;

  test("can't add the name until the record has been missing for 14 days", async () => {
    await expect(claim()).rejects.toMatchObject({ reason: "not_allowed" });
    await missingFor(13.9);
    await expect(claim()).rejects.toMatchObject({ reason: "not_allowed" });
  });

  test("gets nothing by only adding the name, or after the old record returns", async () => {
    await missingFor(14.1);
    const claimed = await claim();
    expect(await now()).toMatchObject({ status: "verified" });
    expect((await now()).ownershipProvenAt).not.toBeNull();

    await db()
      .update(domains)
      .set({ ownershipMissingSince: null })
      .where(eq(domains.id, domain.id));
    await expect(markOwnershipVerified(ben, claimed)).rejects.toMatchObject({ reason: "invalid" });
    expect((await now()).ownershipProvenAt).not.toBeNull();
  });

  test("takes the name over once its own record is found; the old domain stays for its mailboxes", async () => {
    const { address } = await aMailbox(domain);
    await missingFor(14.1);
    const claimed = await claim();
    await Promise.all([markOwnershipVerified(ben, claimed), markOwnershipVerified(ben, claimed)]);

    expect(await now()).toMatchObject({ status: "pending", ownershipProvenAt: null });
    expect((await now()).ownershipLostAt).not.toBeNull();
    expect(await notices()).toEqual(["ownership_lost"]);
    expect(await audited("domain.ownership_lost")).toBe(1);
    // Addresses at the domain are outside one company now, and inside the other.
    const keys = [ann, ben].map(({ companyId }) => `refresh_forwards:${companyId}`);
    const queued = await db().execute<{ key: string }>(
      sql`select key from graphile_worker.jobs where key in ${keys}`,
    );
    expect(queued.map(({ key }) => key).sort()).toEqual(keys.sort());
    expect(await resolveRecipients(db(), [address])).toEqual(new Map());

    await expireClaims(db());
    const page = { limit: 10, after: null, before: null };
    expect((await listDomains(ann, page)).rows.map(({ id }) => id)).toEqual([domain.id]);
    await expect(markOwnershipVerified(ann, await now())).rejects.toMatchObject({
      reason: "invalid",
    });
  });

  test("can lose the name back to the old company in the same way", async () => {
    await missingFor(14.1);
    const claimed = await claim();
    await markOwnershipVerified(ben, claimed);
    await db().execute(sql`update domains set ownership_missing_since =
      clock_timestamp() - interval '15 days' where id = ${claimed.id}`);
    await markOwnershipVerified(ann, await now());
    expect(await now()).toMatchObject({ ownershipLostAt: null, ownershipMissingSince: null });
    expect((await now()).ownershipProvenAt).not.toBeNull();
  });
});
