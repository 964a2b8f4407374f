import { and, eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { auditEntries } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";

import { domainsApi } from "./api.ts";

let companyId: string;
let key: string;
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeEach(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId, { privileges: ["domains", "api_controls"] })).token;
  domain = await aDomain(companyId);
});

const patch = (label: unknown) =>
  call(domainsApi.update, { key, params: { id: domain.id }, body: { tracking_subdomain: label } });
const shown = async () => {
  const { body } = await call(domainsApi.get, { key, params: { id: domain.id } });
  const { records, ...fields } = body as {
    tracking_subdomain?: string;
    records: { record: string }[];
  };
  return {
    label: fields.tracking_subdomain,
    record: records.find((one) => one.record === "Tracking"),
  };
};

test("sets and removes the host, with its record and an audit entry each", async () => {
  expect(await shown()).toEqual({ label: undefined, record: undefined });
  expect(await patch(" Links ")).toMatchObject({ status: 200 });
  expect(await shown()).toEqual({
    label: "links",
    record: {
      record: "Tracking",
      name: `links.${domain.name}`,
      type: "CNAME",
      ttl: "Auto",
      status: "pending",
      value: config().hostname,
    },
  });
  for (const none of ["", null]) expect(await patch(none)).toMatchObject({ status: 200 });
  expect(await shown()).toEqual({ label: undefined, record: undefined });
  const audit = await db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "domain.updated")))
    .orderBy(auditEntries.id);
  const named = { domainId: domain.id, name: domain.name };
  expect(audit.map(({ details }) => details)).toEqual([
    { ...named, trackingSubdomain: "links" },
    { ...named, trackingSubdomain: null },
  ]);
});

test.each([
  "a.b",
  "-a",
  "a-",
  "a_b",
  "grüße",
  "a/b",
  "a b",
  "x".repeat(64),
  "autoconfig",
  "mta-sts",
  "bounces",
  1,
  ["links"],
])("rejects %j", async (label) => {
  expect(await patch(label)).toMatchObject({
    status: 422,
    body: {
      name: "validation_error",
      message: expect.stringMatching(/^tracking_subdomain/) as string,
    },
  });
  expect(await shown()).toMatchObject({ label: undefined });
});

test("rejects this server's own host and a name that is a domain of its own", async () => {
  const { hostname } = config();
  const [label, ...parent] = hostname.split(".");
  domain = await aDomain(companyId, { name: parent.join("."), ownershipProvenAt: null });
  expect(await patch(label)).toMatchObject({ status: 422 });

  domain = await aDomain(companyId);
  const theirs = (await aCompany()).id;
  await aDomain(theirs, { name: `links.${domain.name}` });
  expect(await patch("links")).toMatchObject({ status: 422 });
  await aDomain(theirs, { name: `go.${domain.name}`, ownershipProvenAt: null });
  expect(await patch("go")).toMatchObject({ status: 200 });
});
