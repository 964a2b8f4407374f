import { afterAll, beforeAll, expect, test } from "vitest";

import { domainFindings } from "#drizzle/schema/index.ts";
import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

const PATH = "/.well-known/mta-sts.txt";

let web: Awaited<ReturnType<typeof aTrackingServer>>;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

async function aReceivingDomain(
  { isVerified = true, record = "mx" }: { isVerified?: boolean; record?: "mx" | "spf" } = {},
  overrides: Parameters<typeof aDomain>[1] = {},
) {
  const company = await aCompany();
  const domain = await aDomain(company.id, overrides);
  const finding = { domainId: domain.id, record, isVerified, checkedAt: new Date().toISOString() };
  await db().insert(domainFindings).values(finding);
  return domain.name;
}

test("serves the policy of a domain that receives its mail here", async () => {
  const name = await aReceivingDomain();
  const answer = await web.ask(PATH, { host: `mta-sts.${name}` });

  expect(answer).toMatchObject({ status: 200, text: ownMtaStsPolicy().text });
  expect(answer.headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "public, max-age=300",
    "content-length": String(ownMtaStsPolicy().text.length),
    "x-content-type-options": "nosniff",
  });
});

test.each([
  ["in capitals", (name: string) => `MTA-STS.${name.toUpperCase()}`],
  ["with a port", (name: string) => `mta-sts.${name}:8443`],
  ["with the root's dot", (name: string) => `mta-sts.${name}.`],
])("accepts the host %s", async (_, hostOf) => {
  const name = await aReceivingDomain();

  expect((await web.ask(PATH, { host: hostOf(name) })).status).toBe(200);
});

test("answers HEAD with the headers only", async () => {
  const name = await aReceivingDomain();
  const answer = await web.ask(PATH, { host: `mta-sts.${name}` }, "HEAD");

  expect(answer).toMatchObject({ status: 200, text: "" });
  expect((await web.ask(PATH, { host: `mta-sts.${name}` }, "POST")).status).toBe(405);
});

test.each([
  ["the domain's own host", (name: string) => name],
  ["a subdomain of it", (name: string) => `mta-sts.sub.${name}`],
  ["another host of it", (name: string) => `www.${name}`],
  ["no domain", () => "mta-sts."],
  ["an unknown domain", () => "mta-sts.elsewhere.example"],
  ["nonsense", () => "mta-sts.%00'--"],
])("serves no policy for %s", async (_, hostOf) => {
  const name = await aReceivingDomain();

  expect((await web.ask(PATH, { host: hostOf(name) })).status).toBe(404);
});

test("serves no policy until the ownership is verified and an MX record was found", async () => {
  const unproven = await aReceivingDomain({}, { ownershipProvenAt: null });
  const withoutMx = await aReceivingDomain({ isVerified: false });
  const onlySpf = await aReceivingDomain({ record: "spf" });

  for (const name of [unproven, withoutMx, onlySpf])
    expect((await web.ask(PATH, { host: `mta-sts.${name}` })).status).toBe(404);
});

test("doesn't handle other paths", async () => {
  const name = await aReceivingDomain();

  for (const path of ["/.well-known/mta-sts.txt/a", "/.well-known/other", "/mta-sts.txt"])
    expect((await web.ask(path, { host: `mta-sts.${name}` })).text).toBe("not tracking");
});

test("publishes the key of receipts, and nothing of the private one", async () => {
  const answer = await web.ask("/.well-known/posthouse-receipts.json");
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.headers).toMatchObject({ "content-type": "application/jwk-set+json" });
  const { keys } = JSON.parse(answer.text) as ReturnType<typeof signingKeys>;
  expect(keys).toEqual(signingKeys().keys);
  expect(Object.keys(keys[0]!).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
});
