import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { auditEntries, domainFindings, domains, webhookEvents } from "#drizzle/schema/index.ts";
import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { db } from "#server/db/pool.ts";
import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";
import { aCompany, aContext, aDomain, aWebhook } from "#server/testing/factories.ts";
import { aDnsZone, type DnsZone } from "#server/testing/dns-zone.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { publishRecords } from "#server/testing/publish-records.ts";
import { queuedNotices } from "#server/testing/queued-notices.ts";

import { checkRecords, findOwnership, listDomainRecords, loadDomain } from "./check-records.ts";
import type { CheckMode } from "./internal/save-check.ts";

let zone: DnsZone;
let first: FakeDns;
let second: FakeDns;
let resolver: FakeDns;
let dns: ZoneDns;
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeAll(async () => {
  zone = await aDnsZone();
  ({ first, second, resolver, dns } = zone);
});
afterAll(() => zone.close());

beforeEach(async () => {
  domain = await aDomain((await aCompany()).id, { status: "pending" });
  zone.delegate(domain.name);
});

type Published = Parameters<typeof publishRecords>[2];
async function publish(options?: Published) {
  await publishRecords(first, domain, options);
  await publishRecords(second, domain, options);
}
const check = (mode: CheckMode = "verify") =>
  checkRecords(aContext(domain.companyId), domain.id, { dns, mode });
const stored = async () => (await db().select().from(domains).where(eq(domains.id, domain.id)))[0]!;
const verified = async () =>
  (await db().select().from(domainFindings).where(eq(domainFindings.domainId, domain.id)))
    .filter(({ isVerified }) => isVerified)
    .map(({ record }) => record)
    .sort();
const finding = async (record: "spf" | "dkim") =>
  (
    await db()
      .select()
      .from(domainFindings)
      .where(and(eq(domainFindings.domainId, domain.id), eq(domainFindings.record, record)))
  )[0]!;
/** All records were already found at the previous check. */
const letPass = (minutes: number) =>
  db()
    .update(domainFindings)
    .set({
      checkedAt: sql`checked_at - make_interval(mins => ${minutes})`,
      missingSince: sql`missing_since - make_interval(mins => ${minutes})`,
    })
    .where(eq(domainFindings.domainId, domain.id));

describe("A check", () => {
  test("finds all records of a domain and allows it to send", async () => {
    await publish();
    expect(await check()).toEqual({ before: "pending", after: "verified" });
    expect(await verified()).toEqual([
      "dkim",
      "dmarc",
      "mta_sts",
      "mx",
      "return_path_mx",
      "return_path_spf",
      "spf",
      "tls_rpt",
    ]);
    const { checkedAt, status } = await stored();
    expect(status).toBe("verified");
    expect(checkedAt).not.toBeNull();
  });

  test.each([
    [["spf"], "partially_verified"],
    [["dkim"], "partially_verified"],
    [["dmarc", "mx", "mta_sts", "tls_rpt"], "verified"],
    [["spf", "dkim"], "pending"],
  ] as const)("without %j changes the status to %s", async (except, status) => {
    await publish({ except: [...except] });
    expect((await check()).after).toBe(status);
  });

  test("stores each server's answer and the SPF result", async () => {
    await publishRecords(first, domain);
    await check();
    const { answers, checkedAt } = await finding("spf");
    expect(checkedAt).not.toBeNull();
    expect(answers).toMatchObject([
      { server: "ns1.host.test", kind: "found", spf: { authorizes: "yes", lookups: 1 } },
      { server: "ns2.host.test", kind: "no_name" },
      { server: "resolver", kind: "no_data" },
    ]);
  });

  test("accepts an SPF record that allows this server through an include", async () => {
    await publish();
    resolver.records["shared.test"] = { TXT: ["v=spf1 a:posthouse.localhost -all"] };
    for (const { records } of [first, second])
      Object.assign(records[domain.name]!, { TXT: ["v=spf1 include:shared.test -all"] });
    expect((await check()).after).toBe("verified");
    resolver.records["shared.test"] = "SERVFAIL";
    expect((await check()).after).toBe("verified");
    resolver.records["shared.test"] = { TXT: ["v=spf1 -all"] };
    expect((await check()).after).toBe("partially_verified");
  });

  test("stores any number of records with arbitrary bytes", async () => {
    await publish();
    const junk = Array.from({ length: 200 }, (_, at) => `\u0000\u00ff ${at}`);
    for (const { records } of [first, second]) {
      const owner = records[domain.name] as { TXT: string[] };
      owner.TXT = [...junk, ...owner.TXT];
    }
    expect((await check()).after).toBe("verified");
    expect((await finding("spf")).answers[0]!.records).toHaveLength(40);
    for (const { records } of [first, second]) records[domain.name] = { TXT: ["v=spf1 \0 -all"] };
    expect((await check()).after).toBe("partially_verified");
  });

  test("trusts a single answer when requested", async () => {
    await publish();
    await check();
    await publish({ except: ["dkim"] });
    expect(await check()).toEqual({ before: "verified", after: "partially_verified" });
    await publish({ except: ["spf", "dkim"] });
    expect(await check()).toEqual({ before: "partially_verified", after: "pending" });
  });

  test("changes nothing without DNS answers", async () => {
    await publish();
    await check();
    for (const silence of ["SERVFAIL", "REFUSED"] as const) {
      for (const { records } of [first, second, resolver])
        for (const name of Object.keys(first.records))
          if (name.endsWith(domain.name)) records[name] = silence;
      expect(await check()).toEqual({ before: "verified", after: "verified" });
    }
    expect((await finding("dkim")).answers[0]).toMatchObject({ reason: "REFUSED" });
  });

  test("runs the status callback in the same transaction, and rolls back with it", async () => {
    await publish();
    const told: string[] = [];
    const ctx = aContext(domain.companyId);
    const onStatusChange = (_: unknown, { status }: { status: string }) => {
      told.push(status);
      return Promise.reject(new Error("no"));
    };
    await expect(
      checkRecords(ctx, domain.id, { dns, mode: "verify", onStatusChange }),
    ).rejects.toThrow("no");
    expect(told).toEqual(["verified"]);
    expect((await stored()).status).toBe("pending");
    expect(await verified()).toEqual([]);
  });

  test("rejects another company's domain and a deleted one", async () => {
    const other = aContext((await aCompany()).id);
    await expect(checkRecords(other, domain.id, { dns, mode: "verify" })).rejects.toMatchObject({
      reason: "not_found",
    });
    const during: ZoneDns = {
      ...dns,
      askAll: async (questions) => {
        await db().delete(domains).where(eq(domains.id, domain.id));
        return questions.map(() => []);
      },
    };
    await expect(
      checkRecords(aContext(domain.companyId), domain.id, { dns: during, mode: "verify" }),
    ).rejects.toMatchObject({ reason: "not_found" });
  });

  test("does not overwrite the result of a check that began later", async () => {
    await publish({ except: ["dkim"] });
    const asked = Promise.withResolvers<true>();
    const goOn = Promise.withResolvers<true>();
    const slow: ZoneDns = {
      ...dns,
      askAll: async (questions) => {
        const answers = await dns.askAll(questions);
        asked.resolve(true);
        await goOn.promise;
        return answers;
      },
    };
    const ctx = aContext(domain.companyId);
    const early = checkRecords(ctx, domain.id, { dns: slow, mode: "verify" });
    await asked.promise;
    await publish();
    expect((await check()).after).toBe("verified");
    goOn.resolve(true);
    expect(await early).toEqual({ before: "verified", after: "verified" });
    expect((await finding("dkim")).isVerified).toBe(true);
  });

  test("has the same result as nine concurrent checks", async () => {
    await publish();
    const results = await Promise.all(Array.from({ length: 10 }, () => check()));
    expect(results.filter(({ before }) => before === "pending")).toHaveLength(1);
    expect((await stored()).status).toBe("verified");
  });
});

describe("The return path", () => {
  const returnPath = async () => (await stored()).returnPath;
  const below = () => `bounces.${domain.name}`;

  test("is the domain while its mail comes here, otherwise the name below it if published", async () => {
    await publish({ except: ["return_path_mx", "return_path_spf"] });
    await check();
    expect(await returnPath()).toBe(domain.name);
    await publish({ except: ["mx"] });
    await check();
    expect(await returnPath()).toBe(below());
    await publish({ except: ["mx", "return_path_spf"] });
    await check();
    expect(await returnPath()).toBeNull();
  });

  test("is given up at the first check that misses a record, though the record still counts", async () => {
    await publish({ except: ["mx"] });
    await check();
    await publish({ except: ["mx", "return_path_mx"] });
    await check("recheck");
    expect(await verified()).toContain("return_path_mx");
    expect(await returnPath()).toBeNull();
  });

  test("stays while no server answers", async () => {
    await publish();
    await check();
    for (const { records } of [first, second, resolver])
      for (const name of [domain.name, below()]) records[name] = "SERVFAIL";
    await check();
    expect(await returnPath()).toBe(domain.name);
  });
});

describe("An automatic check", () => {
  beforeEach(async () => {
    await publish();
    await check();
  });
  const entries = () =>
    db().select().from(auditEntries).where(eq(auditEntries.companyId, domain.companyId));

  test("marks a record as missing only after two checks an hour apart", async () => {
    await publish({ except: ["dkim"] });
    expect((await check("recheck")).after).toBe("verified");
    expect((await finding("dkim")).missingSince).not.toBeNull();
    await letPass(59);
    expect((await check("recheck")).after).toBe("verified");
    expect(await queuedNotices(domain.companyId)).toEqual([]);
    await letPass(1);
    expect(await check("recheck")).toEqual({ before: "verified", after: "partially_verified" });
    expect(await finding("dkim")).toMatchObject({ isVerified: false, missingSince: null });
    await check("recheck");
    const notice = { kind: "records_missing", domainId: domain.id, records: ["dkim"] };
    expect(await queuedNotices(domain.companyId)).toEqual([notice]);
  });

  test("needs two checks also for a verified domain that was never checked", async () => {
    await db().delete(domainFindings).where(eq(domainFindings.domainId, domain.id));
    await publish({ except: ["dkim"] });
    expect(await check("recheck")).toEqual({ before: "verified", after: "verified" });
    await letPass(61);
    expect(await check("recheck")).toEqual({ before: "verified", after: "partially_verified" });
  });

  test("forgets a missing record once it is found again", async () => {
    await publish({ except: ["spf"] });
    await check("recheck");
    await publish();
    await letPass(61);
    await check("recheck");
    expect((await finding("spf")).missingSince).toBeNull();
    await publish({ except: ["spf"] });
    await letPass(61);
    expect((await check("recheck")).after).toBe("verified");
  });

  test("ignores lookup failures, however long they last", async () => {
    const name = Object.keys(second.records).find((known) =>
      known.endsWith(`_domainkey.${domain.name}`),
    )!;
    await publish({ except: ["dkim"] });
    second.records[name] = "SERVFAIL";
    for (let hour = 0; hour < 4; hour++) {
      expect((await check("recheck")).after).toBe("verified");
      await letPass(61);
    }
    expect((await finding("dkim")).missingSince).toBeNull();
  });

  test("ignores a resolver that denies every name, however long it does", async () => {
    const portal = await aDnsServer();
    const behind = createZoneDns({ dnsServers: [portal], port: first.port, allowPrivate: true });
    const recheck = () =>
      checkRecords(aContext(domain.companyId), domain.id, { dns: behind, mode: "recheck" });
    for (let hour = 0; hour < 3; hour++) {
      expect((await recheck()).after).toBe("verified");
      await letPass(61);
    }
    portal.records[domain.name.split(".").at(-1)!] = { NS: ["ns1.host.test"] };
    await recheck();
    await letPass(61);
    expect((await recheck()).after).toBe("pending");
    await portal.close();
  });

  test("keeps the records to publish while no server responds", async () => {
    const values = async () =>
      listDomainRecords(await loadDomain(aContext(domain.companyId), domain.id))
        .filter(({ record }) => record === "spf" || record === "dmarc")
        .map(({ value }) => value);
    for (const { records } of [first, second]) {
      Object.assign(records[domain.name]!, { TXT: ["v=spf1 ip4:192.0.2.1 -all"] });
      records[`_dmarc.${domain.name}`] = { TXT: ["v=DMARC1; p=reject"] };
    }
    await check();
    const before = await values();
    expect(before).toEqual([
      "v=spf1 ip4:192.0.2.1 a:posthouse.localhost -all",
      "v=DMARC1; p=reject; rua=mailto:reports@posthouse.localhost",
    ]);
    for (const { records } of [first, second, resolver])
      for (const name of [domain.name, `_dmarc.${domain.name}`]) records[name] = "SERVFAIL";
    for (const mode of ["recheck", "recheck", "verify"] as const) {
      await check(mode);
      expect(await values()).toEqual(before);
    }
  });

  test("verifies new records immediately", async () => {
    await publish({ except: ["dkim"] });
    await check();
    await publish();
    expect(await check("recheck")).toEqual({ before: "partially_verified", after: "verified" });
  });

  test("audits a changed status and sends no webhook event", async () => {
    await aWebhook(domain.companyId);
    await publish({ except: ["dkim"] });
    await check("recheck");
    expect(await entries()).toEqual([]);
    await letPass(61);
    await check("recheck");
    expect(await entries()).toMatchObject([
      {
        action: "domain.status_changed",
        actor: "system",
        details: { name: domain.name, before: "verified", after: "partially_verified" },
      },
    ]);
    expect(await db().$count(webhookEvents)).toBe(0);
  });
});

describe("The ownership record", () => {
  const place = () => `_svc-verify.${domain.name}`;
  const find = () => findOwnership(aContext(domain.companyId), domain, dns);
  const own = async () =>
    db().select().from(domainFindings).where(eq(domainFindings.domainId, domain.id));

  test("is found, and stored with the servers' answers", async () => {
    for (const { records } of [first, second])
      records[place()] = { TXT: [`svc-verify=${domain.ownershipToken}`] };
    expect(await find()).toBe(true);
    expect(await own()).toMatchObject([{ record: "ownership", isVerified: true }]);
    expect((await stored()).status).toBe("pending");
  });

  test("is not found with another value, without a record, and without an answer", async () => {
    for (const answer of [{ TXT: ["svc-verify=other"] }, {}, "SERVFAIL"] as const) {
      for (const { records } of [first, second, resolver]) records[place()] = answer as object;
      expect(await find()).toBe(false);
    }
    expect(await own()).toMatchObject([
      { isVerified: false, answers: [{ reason: "SERVFAIL" }, {}, { server: "resolver" }] },
    ]);
  });
});

test("of the sandbox's domain counts as verified without DNS", async () => {
  const { companyId } = await ensureSandbox(db(), { canSignIn: true });
  const [sandbox] = await db().select().from(domains).where(eq(domains.companyId, companyId));
  for (const mode of ["verify", "recheck"] as const)
    expect(await checkRecords(aContext(companyId), sandbox!.id, { dns, mode })).toEqual({
      before: "verified",
      after: "verified",
    });
});
