import { randomBytes } from "node:crypto";

import { Resend } from "resend";
import { afterAll, beforeAll, expect, test } from "vitest";

import { aCompany, anAdmin, anApiKey } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";

// The SDK's domain methods against the running service.

let dns: FakeDns;
let web: WebProcess;
let posthouse: Resend;
let name: string;

/** Includes time for a production build. */
const BUILD_TIMEOUT_MS = 400_000;

beforeAll(async () => {
  const company = await aCompany();
  const owner = await anAdmin(company.id, { isOwner: true });
  const { token } = await anApiKey(company.id, { creatorId: owner.id });
  dns = await aDnsServer({ "posthouse.localhost": { A: ["192.0.2.25"] } });
  web = await startWebProcess({ env: { POSTHOUSE_DNS: `127.0.0.1:${dns.port}` } });
  posthouse = new Resend(token, { baseUrl: `http://127.0.0.1:${web.port}` });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await web.stop();
  await dns.close();
});

/** Returns the data of an SDK response; throws on an error. */
function dataOf<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data!;
}

const publish = (records: { name: string; type: string; value: string }[]) => {
  for (const { name, type, value } of records)
    dns.records[name] = {
      ...(dns.records[name] as object | undefined),
      [type]: [type === "MX" ? `10 ${value}` : value],
    };
};
const create = (tracking: { openTracking?: boolean; trackingSubdomain?: string } = {}) => {
  name = `${randomBytes(6).toString("hex")}.test`;
  return posthouse.domains.create({
    name,
    region: "eu-west-1",
    customReturnPath: "send",
    ...tracking,
  });
};

test("create returns the domain with the record to publish", async () => {
  const created = dataOf(await create({ openTracking: true, trackingSubdomain: "links" }));

  expect(created).toMatchObject({
    object: "domain",
    name,
    status: "not_started",
    region: "eu-central",
    capabilities: { sending: "disabled", receiving: "disabled" },
    open_tracking: true,
    click_tracking: false,
    tracking_subdomain: "links",
    records: [{ record: "Ownership", name: `_svc-verify.${name}`, ttl: "Auto", type: "TXT" }],
  });
});

test("create explains in its error why a name can't be added", async () => {
  expect((await posthouse.domains.create({ name: "gmail.com" })).error).toMatchObject({
    statusCode: 403,
    name: "validation_error",
    message: expect.stringContaining("is a public mailbox provider") as string,
  });
});

test("verify verifies the ownership, and then finds the records that get returned", async () => {
  const { id, records } = dataOf(await create());
  expect((await posthouse.domains.verify(id)).error).toMatchObject({
    statusCode: 422,
    name: "validation_error",
  });

  publish(records);
  expect(dataOf(await posthouse.domains.verify(id))).toEqual({ object: "domain", id });
  publish(dataOf(await posthouse.domains.get(id)).records);
  dataOf(await posthouse.domains.verify(id));

  const domain = dataOf(await posthouse.domains.get(id));
  expect(domain).toMatchObject({
    object: "domain",
    id,
    name,
    status: "verified",
    capabilities: { sending: "enabled", receiving: "enabled" },
  });
  expect(domain.records.map(({ status }) => status)).toEqual(Array(4).fill("verified"));
});

test("list, with limit and cursors", async () => {
  const ids = [dataOf(await create()).id, dataOf(await create()).id].toReversed();

  const first = dataOf(await posthouse.domains.list({ limit: 2 }));
  expect(first).toMatchObject({ object: "list", has_more: true });
  expect(first.data.map(({ id }) => id)).toEqual(ids);
  const next = dataOf(await posthouse.domains.list({ limit: 1, after: ids[0]! }));
  expect(next.data.map(({ id }) => id)).toEqual([ids[1]]);
});

test("update changes tracking and ignores unknown fields", async () => {
  const { id } = dataOf(await create());

  const changes = { openTracking: true, clickTracking: true, tls: "enforced" } as const;
  expect(dataOf(await posthouse.domains.update({ id, ...changes }))).toEqual({
    object: "domain",
    id,
  });
  expect(dataOf(await posthouse.domains.get(id))).toMatchObject({
    open_tracking: true,
    click_tracking: true,
  });
});

test("remove", async () => {
  const { id } = dataOf(await create());

  expect(dataOf(await posthouse.domains.remove(id))).toEqual({
    object: "domain",
    id,
    deleted: true,
  });
  expect((await posthouse.domains.get(id)).error).toMatchObject({
    statusCode: 404,
    name: "not_found",
    message: "Domain not found",
  });
});
