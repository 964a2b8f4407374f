import { randomBytes } from "node:crypto";

import { and, eq, like } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { auditEntries, type Domain } from "#drizzle/schema/index.ts";
import { addDomain } from "#server/core/domains/domains/domains.ts";
import { createDkimKey } from "#server/core/sending/dkim/dkim-keys.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import {
  type DnsHost,
  DnsHostFailure,
  type FailureKind,
  type HostedRecord,
  type SetChange,
} from "./dns-host.ts";
import { previewChanges, publishRecords } from "./dns-setup.ts";

// Local mode provides no DNS records.
config().localMode = false;

const TOKEN = "secret-token-5b1f";

let ctx: ReturnType<typeof aContext>;
let domain: Domain;
let hosted: HostedRecord[];

/** Failures of the next writes; null for a success. */
let failures: (FailureKind | null)[];

let writes: number;

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  const name = `mail.${randomBytes(6).toString("hex")}.com`;
  ({ domain } = await addDomain(ctx, { name }, { via: "console" }));
  for (const algorithm of ["rsa", "ed25519"] as const)
    await createDkimKey(db(), domain.id, { algorithm });
  [hosted, failures, writes] = [[], [], 0];
});

const put = (name: string, type: string, value: string, priority: number | null = null) =>
  hosted.push({ id: null, name, type, value, priority, raw: value });

async function write({ name, type, kept, added }: SetChange) {
  writes++;
  const failure = failures.shift();
  if (failure) throw new DnsHostFailure(failure, "test");
  hosted = hosted.filter((one) => one.name !== name || one.type !== type || kept.includes(one));
  put(name, type, added.value, added.priority);
  await Promise.resolve();
}

const host: DnsHost = {
  openZone: (names) => {
    const name = names.at(-1)!;
    return Promise.resolve({ name, list: () => Promise.resolve([...hosted]), write });
  },
};

const access = {
  host: "cloudflare" as const,
  token: TOKEN,
  connect: () => host,
};

const preview = () => previewChanges(ctx, domain.id, access);

async function publish(confirmed: string[] = []) {
  const { digest } = await preview();
  return publishRecords(ctx, domain.id, { ...access, digest, confirmed });
}

const planned = async (key: string) =>
  (await preview()).changes.find((change) => change.key === key)!;

const audited = () =>
  db()
    .select({ details: auditEntries.details })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, ctx.companyId),
        like(auditEntries.action, "domain.records_published"),
      ),
    );

describe("A zone without records", () => {
  test("gets all records, once", async () => {
    const { zone, changes } = await preview();
    expect(zone).toBe(domain.name.replace("mail.", ""));
    expect(changes.map(({ key, action }) => `${key} ${action}`)).toEqual(
      [
        "ownership",
        "spf",
        "dkim",
        "dkim_ed25519",
        "dmarc",
        "mx",
        "return_path_mx",
        "return_path_spf",
        "mta_sts",
        "tls_rpt",
        "mta_sts_host",
      ].map((key) => `${key} create`),
    );

    const results = await publish();
    expect(results.every(({ outcome }) => outcome === "published")).toBe(true);
    expect(hosted).toHaveLength(11);
    expect(hosted).toContainEqual(
      expect.objectContaining({
        name: `_svc-verify.${domain.name}`,
        value: `svc-verify=${domain.ownershipToken}`,
      }),
    );

    expect(await publish()).toEqual([]);
    expect(writes).toBe(11);
    const [entry, ...others] = await audited();
    expect(others).toEqual([]);
    expect(entry!.details).toMatchObject({ name: domain.name, provider: "cloudflare" });
    expect(JSON.stringify(entry)).not.toContain(TOKEN);
  });
});

describe("Existing records", () => {
  test("SPF and DMARC are merged, and other text stays", async () => {
    put(domain.name, "TXT", "v=spf1 ip4:192.0.2.1 ~all");
    put(domain.name, "TXT", "google-site-verification=abc");
    put(`_dmarc.${domain.name}`, "TXT", "v=DMARC1; p=reject");
    expect(await planned("spf")).toMatchObject({
      action: "replace",
      before: ["v=spf1 ip4:192.0.2.1 ~all"],
      needsConfirmation: false,
      after: "v=spf1 ip4:192.0.2.1 a:posthouse.localhost ~all",
    });
    expect((await planned("dmarc")).after).toContain("p=reject");
    await publish();
    const texts = hosted.filter(({ name, type }) => name === domain.name && type === "TXT");
    expect(texts.map(({ value }) => value)).toEqual([
      "google-site-verification=abc",
      "v=spf1 ip4:192.0.2.1 a:posthouse.localhost ~all",
    ]);
  });

  test("several records of one kind are replaced by one only if that is confirmed", async () => {
    const place = `_dmarc.${domain.name}`;
    for (const policy of ["reject", "none"]) put(place, "TXT", `v=DMARC1; p=${policy}`);
    expect(await planned("dmarc")).toMatchObject({ action: "replace", needsConfirmation: true });
    await publish();
    expect(hosted.filter(({ name }) => name === place)).toHaveLength(2);
    await publish(["dmarc"]);
    expect(hosted.filter(({ name }) => name === place)).toHaveLength(1);
  });

  test("MX records of another server stay unless their replacement is confirmed", async () => {
    put(domain.name, "MX", "aspmx.l.google.com", 1);
    expect(await planned("mx")).toMatchObject({
      action: "replace",
      needsConfirmation: true,
      before: ["MX 1 aspmx.l.google.com"],
    });
    const mx = () => hosted.filter(({ name, type }) => name === domain.name && type === "MX");
    const results = await publish();
    expect(results.find(({ key }) => key === "mx")).toMatchObject({ outcome: "skipped" });
    expect(mx()).toMatchObject([{ value: "aspmx.l.google.com" }]);

    await publish(["mx"]);
    expect(mx()).toMatchObject([{ value: "posthouse.localhost", priority: 10 }]);
  });

  test("an alias at a record's name blocks it and isn't touched", async () => {
    put(`_dmarc.${domain.name}`, "CNAME", "dmarc.vendor.example");
    expect(await planned("dmarc")).toMatchObject({
      action: "blocked",
      before: ["CNAME dmarc.vendor.example"],
    });
    const results = await publish(["dmarc"]);
    expect(results.find(({ key }) => key === "dmarc")).toMatchObject({ outcome: "skipped" });
    expect(hosted.filter(({ name }) => name === `_dmarc.${domain.name}`)).toHaveLength(1);
  });

  test("changes since the review stop the whole set-up", async () => {
    const { digest } = await preview();
    put(domain.name, "TXT", "v=spf1 include:new.example -all");
    await expect(
      publishRecords(ctx, domain.id, { ...access, digest, confirmed: [] }),
    ).rejects.toMatchObject({ reason: "invalid", message: /changed since you reviewed/ });
    expect(writes).toBe(0);
  });
});

describe("A failure", () => {
  test("of one record is reported, the others are published, and a second run completes it", async () => {
    failures = [null, "rejected"];
    const results = await publish();
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([
      expect.objectContaining({ key: "spf", error: "Cloudflare rejected the request" }),
    ]);
    expect(hosted).toHaveLength(10);
    expect((await publish()).map(({ key, outcome }) => `${key} ${outcome}`)).toEqual([
      "spf published",
    ]);
    expect(hosted).toHaveLength(11);
  });

  test("that would hit every record stops the run and lists what wasn’t published", async () => {
    failures = [null, null, "unavailable"];
    const results = await publish();
    const count = (outcome: string) => results.filter((one) => one.outcome === outcome).length;
    expect([count("published"), count("failed"), count("skipped")]).toEqual([2, 1, 8]);
    expect(writes).toBe(3);
    expect((await audited())[0]!.details).toMatchObject({ records: { length: 2 } });
  });
});

describe("Access", () => {
  test("to another company's domain doesn't reach the provider", async () => {
    const other = aContext((await aCompany()).id);
    let connections = 0;
    const counted = { ...access, connect: () => (connections++, host) };
    await expect(previewChanges(other, domain.id, counted)).rejects.toMatchObject({
      reason: "not_found",
    });
    await expect(
      publishRecords(other, domain.id, { ...counted, digest: "", confirmed: [] }),
    ).rejects.toMatchObject({ reason: "not_found" });
    expect(connections).toBe(0);
  });

  test("with rejected credentials is an error at the token, without the token", async () => {
    const openZone = () => Promise.reject(new DnsHostFailure("credentials", "403"));
    const error: unknown = await previewChanges(ctx, domain.id, {
      ...access,
      connect: () => ({ openZone }),
    }).catch((error: unknown) => error);
    expect(error).toMatchObject({
      reason: "invalid",
      fields: [
        {
          path: "token",
          message: expect.stringMatching(/^Cloudflare rejected the token/) as string,
        },
      ],
    });
    expect(JSON.stringify(error)).not.toContain(TOKEN);
  });

  test("to an account without the zone is an error at the token", async () => {
    const openZone = () => Promise.resolve(null);
    await expect(
      previewChanges(ctx, domain.id, { ...access, connect: () => ({ openZone }) }),
    ).rejects.toMatchObject({ reason: "invalid", fields: [{ path: "token" }] });
  });
});
