import { generateKeyPairSync, randomBytes, verify } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type DnsFinding, domainFindings, type DomainRecordKind } from "#drizzle/schema/index.ts";
import { ConfigError } from "#server/config.ts";
import { listDomainRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import { addDomain } from "#server/core/domains/domains/domains.ts";
import { providerHttp } from "#server/core/domains/domains/sending-domains.ts";
import { createDkimKey } from "#server/core/sending/dkim/create-dkim-key.ts";
import { db } from "#server/db/pool.ts";
import { aDnsHostServer, FakeZone } from "#server/testing/dns-host-server.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { offerConnectLink, requireConnectKey } from "./offer-connect-link.ts";

const TEMPLATE = "/api/v2/domainTemplates/providers/example.com/services/posthouse";
const FOLDER = join(import.meta.dirname, "../../../../docs/domain-connect");

const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength });
const signer = rsa(2048);
const keyFile = join(mkdtempSync(join(tmpdir(), "connect-")), "key.pem");
const writeKey = ({ privateKey }: typeof signer) =>
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
writeKey(signer);
Object.assign(process.env, {
  POSTHOUSE_HOSTNAME: "mail.example.com",
  POSTHOUSE_DOMAIN_CONNECT: "example.com",
  POSTHOUSE_DOMAIN_CONNECT_KEY: keyFile,
});

/** The responses of a DNS provider that has the template, by path. */
let answers: Record<string, object | string>;
let texts: Record<string, string[]>;
let server: Awaited<ReturnType<typeof aDnsHostServer>>;
let settings: Record<string, unknown>;

beforeAll(async () => {
  server = await aDnsHostServer(
    new FakeZone("unused.test", []),
    (_, { path }) => {
      const found = answers[path];
      if (found === undefined) return { status: 404, body: "" };
      return { body: typeof found === "string" ? found : JSON.stringify(found) };
    },
    () => true,
  );
});
afterAll(() => server.close());

let ctx: ReturnType<typeof aContext>;
let zone: string;
let id: string;

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  zone = `${randomBytes(6).toString("hex")}.com`;
  ({ id } = await aNewDomain(`news.${zone}`));
  const host = server.baseUrl.replace("https://", "");
  settings = {
    ...{ providerId: "dns.test", providerName: "dns.test", providerDisplayName: "Fake DNS" },
    urlSyncUX: `${server.baseUrl}/consent/`,
    urlAPI: `${server.baseUrl}/api`,
  };
  texts = { [`_domainconnect.${zone}`]: ["v=junk?", `${host}/dc`] };
  answers = { [`/dc/v2/${zone}/settings`]: settings, [TEMPLATE]: "" };
});

async function aNewDomain(name: string) {
  return (await addDomain(ctx, { name }, { via: "console" })).domain;
}

const ABSENT: DnsFinding = {
  ...{ server: "ns1.test", address: "192.0.2.1", kind: "no_name" },
  ...{ records: [], cname: null, reason: null },
};
const EVERYTHING: DomainRecordKind[] = [
  ...(["ownership", "spf", "dkim", "dkim_ed25519", "dmarc", "mx"] as const),
  ...(["return_path_mx", "return_path_spf", "mta_sts", "tls_rpt"] as const),
];

/** Stores a check that found only these records. */
async function check(found: { [Kind in DomainRecordKind]?: DnsFinding | "verified" } = {}) {
  const findings = EVERYTHING.map((record) => {
    const answer = found[record] ?? ABSENT;
    const isVerified = answer === "verified";
    return { record, isVerified, answers: [isVerified ? ABSENT : answer] };
  });
  const common = { domainId: id, checkedAt: new Date().toISOString() };
  await db()
    .insert(domainFindings)
    .values(findings.map((finding) => ({ ...common, ...finding })));
}

/** Uses a new client each time, because discoveries are cached per client. */
const offer = (context = ctx, domainId = id) =>
  offerConnectLink(context, domainId, {
    http: { ...server.http },
    resolver: {
      txt: (name) => {
        const records = texts[name];
        return Promise.resolve(records ? { kind: "found", records } : { kind: "no_name" });
      },
    },
  });

const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

describe("A provider with the template", () => {
  beforeEach(async () => {
    for (const algorithm of ["rsa", "ed25519"] as const)
      await createDkimKey(db(), id, { algorithm });
  });

  test("gets a link for all missing records, signed with the key", async () => {
    await check();
    const link = (await offer())!;
    expect(link).toMatchObject({ provider: "Fake DNS", records: EVERYTHING });
    const { origin, pathname, search } = new URL(link.url);
    expect(origin + pathname).toBe(
      `${server.baseUrl}/consent${TEMPLATE.replace("/api", "")}/apply`,
    );
    expect(queryOf(link.url)).toMatchObject({
      ...{ domain: zone, host: "news", key: "_dcpubkeyv1" },
      redirect_uri: `https://mail.example.com/console/domains/${id}?from=dns-provider`,
    });

    const [, signed, sig] = /^\?(.*)&sig=([^&]+)&key=_dcpubkeyv1$/.exec(search)!;
    const names = signed!.split("&").map((pair) => pair.split("=")[0]!);
    expect(names).toEqual([...names].sort());
    const signature = Buffer.from(decodeURIComponent(sig!), "base64");
    expect(verify("sha256", Buffer.from(signed!), signer.publicKey, signature)).toBe(true);
    expect(verify("sha256", Buffer.from(`${signed}x`), signer.publicKey, signature)).toBe(false);
  });

  test("publishes exactly the records that the checks look for", async () => {
    await check();
    const query = queryOf((await offer())!.url);
    const expected = listDomainRecords(await loadDomain(ctx, id)).map(
      ({ type, name, value, priority }) => [type, name, value, priority],
    );
    const policyHost = ["CNAME", `mta-sts.news.${zone}`, "mail.example.com", undefined];
    expect(render(query).sort()).toEqual([...expected, policyHost].sort());
  });

  test("is asked for what is missing only, and never to replace records", async () => {
    const other = { ...ABSENT, kind: "found" as const };
    await check({
      ...{ ownership: "verified", dkim: "verified" },
      spf: { ...other, records: [["v=spf1 include:other.test -all"]] },
      dmarc: { ...other, records: [["v=DMARC1; p=reject"]] },
      mx: { ...other, records: [["1", "mx.other.test"]] },
      tls_rpt: { ...ABSENT, kind: "failed", reason: "TIMEOUT" },
    });
    const link = (await offer())!;
    expect(link.records).toEqual(["spf", "dkim_ed25519", "return_path_mx", "return_path_spf"]);
    expect(queryOf(link.url).groupId).toBe("spf,dkim_ed25519,return_path_mx,return_path_spf");
  });

  test("isn't asked for records at names with a CNAME record", async () => {
    const alias = { ...ABSENT, kind: "no_data" as const, cname: "site.other.test" };
    await check({ spf: alias, mx: alias, dmarc: alias });
    const records = EVERYTHING.filter((kind) => !["spf", "mx", "dmarc", "mta_sts"].includes(kind));
    expect((await offer())!.records).toEqual(records);
  });

  test("isn't asked for anything if no record is missing", async () => {
    await check(Object.fromEntries(EVERYTHING.map((kind) => [kind, "verified" as const])));
    expect(await offer()).toBeNull();
    expect(server.requests).not.toContain(`GET /dc/v2/${zone}/settings`);
  });

  test("gets no host for a domain that is a zone of its own", async () => {
    ({ id } = await aNewDomain(zone));
    await check();
    const { host, domain } = queryOf((await offer())!.url);
    expect({ host, domain }).toEqual({ host: undefined, domain: zone });
  });
});

describe("There is no link", () => {
  test.each<[string, () => void]>([
    ["if the zone has no _domainconnect record", () => (texts = {})],
    [
      "if the _domainconnect record has a scheme",
      () => (texts = mapTexts((text) => `https://${text}`)),
    ],
    ["if the _domainconnect record has a query", () => (texts = mapTexts((text) => `${text}?a=b`))],
    ["if the provider doesn't have the zone", () => (answers = { [TEMPLATE]: "" })],
    [
      "if the provider doesn't have the template",
      () => (answers = { [`/dc/v2/${zone}/settings`]: settings }),
    ],
    ["if the settings aren't JSON", () => (answers[`/dc/v2/${zone}/settings`] = "<html>")],
    ["if the settings are too long", () => (settings.padding = "x".repeat(70_000))],
    ["if the provider has no synchronous flow", () => delete settings.urlSyncUX],
    [
      "if the provider's approval page is a script",
      () => (settings.urlSyncUX = "javascript:alert(1)//"),
    ],
    [
      "if the provider's approval page is on plain HTTP",
      () => (settings.urlSyncUX = "http://dns.test"),
    ],
    ["if a setting has the wrong type", () => (settings.providerName = 7)],
    ["if the provider requires an unknown property", () => (settings.crit = ["urlAPI", "padding"])],
  ])("%s", async (_, change) => {
    await check();
    settings.padding = "";
    expect(await offer()).not.toBeNull();
    change();
    expect(await offer()).toBeNull();
  });

  test("if the provider is at a private address", async () => {
    await check();
    const resolver = {
      txt: () => Promise.resolve({ kind: "found" as const, records: ["localhost/dc"] }),
    };
    expect(await offerConnectLink(ctx, id, { http: providerHttp(), resolver })).toBeNull();
    const request = { method: "GET" as const, headers: {}, timeoutMs: 4000, answerBytesMax: 1000 };
    await expect(providerHttp().request({ url: server.baseUrl, ...request })).rejects.toMatchObject(
      { code: "private_address" },
    );
  });
});

test("another company's domain is not found", async () => {
  const other = aContext((await aCompany()).id);
  await expect(offer(other)).rejects.toMatchObject({ reason: "not_found" });
});

test("a key that is missing or too short is an error at startup", () => {
  requireConnectKey();
  writeKey(rsa(1024));
  expect(requireConnectKey).toThrow(/at least 2048 bits/);
  writeFileSync(keyFile, "");
  expect(requireConnectKey).toThrow(ConfigError);
  writeKey(signer);
});

const mapTexts = (change: (text: string) => string) => ({
  [`_domainconnect.${zone}`]: texts[`_domainconnect.${zone}`]!.map(change),
});

type TemplateRecord = Record<"type" | "groupId" | "host", string> &
  Partial<Record<"data" | "pointsTo" | "spfRules", string>> & { priority?: number };

/** The records that a provider publishes for a link. */
function render(query: Record<string, string>) {
  const file = join(FOLDER, "example.com.posthouse.json");
  const { records } = JSON.parse(readFileSync(file, "utf8")) as { records: TemplateRecord[] };
  const fill = (text: string) =>
    text.replace(/%(\w+)%/g, (_, name: string) => {
      if (query[name] === undefined) throw new Error(`no value for ${name}`);
      return query[name];
    });
  const groups = query.groupId!.split(",");
  return records
    .filter(({ groupId }) => groups.includes(groupId))
    .map(({ type, host, priority, ...record }) => {
      const name = [host === "@" ? "" : `${fill(host)}.`, `${query.host}.${query.domain}`].join("");
      if (type === "SPFM") return ["TXT", name, `v=spf1 ${record.spfRules} ~all`, priority];
      return [type, name, record.pointsTo ?? fill(record.data!), priority];
    });
}
