import { PassThrough, Readable } from "node:stream";

import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";

import { requestLog } from "#drizzle/schema/index.ts";
import { flushRequestLog } from "#server/core/access/request-log/request-log.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { type Answered, call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { type AnyEndpoint, defineEndpoint } from "./endpoint.ts";
import { createRouter } from "./router.ts";

const MB = 1024 * 1024;
const RATE_HEADERS = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

const read = defineEndpoint("GET", "/things/{id}", {
  summary: "",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid() }),
  query: z.object({ limit: z.string().regex(/^\d+$/).optional() }),
  response: z.object({ id: z.string() }),
  refusals: ["not_found", "invalid"],
  handle: ({ params }) => Promise.resolve({ id: params.id, secret: "not declared" }),
});
const ID = "01990000-0000-7000-8000-000000000000";
const params = { id: ID };
const overdueInvoice = { number: "1", paymentUrl: "https://pay.example" };

const describing = defineEndpoint("GET", "/", {
  summary: "",
  permission: "public",
  privilege: null,
  response: z.object({}),
  refusals: [],
  handle: () => Promise.resolve({}),
});

/** An endpoint whose requests wait until they are released. */
function aGate() {
  const entered: { letGo: () => void; fail: () => void }[] = [];
  const endpoint = defineEndpoint("POST", "/gate", {
    summary: "",
    permission: "sending_access",
    privilege: null,
    body: z.looseObject({}),
    bodyLimit: "sending",
    response: z.object({ bytes: z.number() }),
    refusals: [],
    handle: ({ request }) =>
      new Promise<{ bytes: number }>((resolve, reject) =>
        entered.push({
          letGo: () => resolve({ bytes: request.body!.length }),
          fail: () => reject(new Error("a bug")),
        }),
      ),
  });
  const enters = async (count: number) => {
    await expect.poll(() => entered.length).toBe(count);
    return entered[count - 1]!;
  };
  return { endpoint, enters };
}

const rateOf = ({ headers }: Answered) =>
  RATE_HEADERS.map((name) => headers.get(name)).filter((value) => value !== null);

type CompanyGiven = Parameters<typeof aCompany>[0];
type KeyGiven = Parameters<typeof anApiKey>[1];

const aKey = async (company: CompanyGiven = {}, key: KeyGiven = {}) => {
  const { id: companyId } = await aCompany(company);
  return { companyId, key: (await anApiKey(companyId, key)).token };
};

beforeEach(async () => {
  await changeSetting(db(), "request_rate_per_second", "1000");
  await changeSetting(db(), "requests_in_progress", "1000");
});

test("sends only the fields that the response schema declares", async () => {
  const { key } = await aKey();
  expect((await call(read, { key, params })).body).toEqual({ id: ID });
});

describe("rate-limit headers are sent", () => {
  test("with a successful response", async () => {
    const { key } = await aKey();
    expect(rateOf(await call(read, { key, params }))).toEqual(["1000", "999", "1"]);
  });

  test.each([
    ["an object that is not there", {}, {}, { params: { id: "x" } }, 404],
    ["a wrong parameter", {}, {}, { params, query: { limit: "x" } }, 422],
    ["a creator without the privilege", {}, { privileges: [] }, { params }, 403],
    ["an overdue invoice", { overdueInvoice }, {}, { params }, 403],
  ] satisfies [string, CompanyGiven, KeyGiven, object, number][])(
    "with the error %s",
    async (_, company, keyGiven, request, status) => {
      const { key } = await aKey(company, keyGiven);
      const answered = await call(read, { key, ...request });
      expect(answered.status).toBe(status);
      expect(rateOf(answered)).toEqual(["1000", "999", "1"]);
      expect(answered.headers.get("retry-after")).toBeNull();
    },
  );

  test("with a 500", async () => {
    const { key } = await aKey();
    const gate = aGate();
    const answering = call(gate.endpoint, { key, body: {} });
    (await gate.enters(1)).fail();
    const answered = await answering;
    expect(answered).toMatchObject({ status: 500, body: { name: "application_error" } });
    expect(rateOf(answered)).toHaveLength(3);
  });

  test.each([
    ["a missing key", {}, () => ({})],
    ["an unknown key", {}, () => ({ key: `ph_abcdefgh_${"x".repeat(32)}` })],
    ["the service switched off", { serviceEnabled: false }, (key) => ({ key })],
    ["an address off the list", { allowedAddresses: ["192.0.2.1"] }, (key) => ({ key })],
  ] satisfies [string, CompanyGiven, (key: string) => object][])(
    "not with the error %s",
    async (_, company, keyOf) => {
      const { key } = await aKey(company);
      expect(rateOf(await call(read, { ...keyOf(key), params }))).toEqual([]);
    },
  );

  test("not with the error of a sending key, although the request counts", async () => {
    const { companyId, key } = await aKey({}, { permission: "sending_access" });
    const full = (await anApiKey(companyId)).token;
    const restricted = await call(read, { key, params });
    expect(restricted).toMatchObject({ status: 401, body: { name: "restricted_api_key" } });
    expect(rateOf(restricted)).toEqual([]);
    expect(rateOf(await call(read, { key: full, params }))[1]).toBe("998");
  });

  test("not without an account", async () => {
    expect(rateOf(await call(describing))).toEqual([]);
  });
});

describe("over the rate", () => {
  beforeEach(() => changeSetting(db(), "request_rate_per_second", "1"));

  test("returns 429 with the time to wait", async () => {
    const { key } = await aKey();
    await call(read, { key, params });
    const answered = await call(read, { key, params });
    expect(answered).toMatchObject({ status: 429, body: { name: "rate_limit_exceeded" } });
    expect(rateOf(answered)).toEqual(["1", "0", "1"]);
    expect(answered.headers.get("retry-after")).toBe("1");
  });

  test("a rate limit error comes before an overdue invoice, a missing privilege or an invalid body", async () => {
    const { key } = await aKey(
      { overdueInvoice },
      { privileges: [], permission: "sending_access" },
    );
    await call(read, { key, params });
    expect(await call(read, { key, params })).toMatchObject({ status: 429 });
    expect(await call(aGate().endpoint, { key, rawBody: "{" })).toMatchObject({ status: 429 });
  });
});

describe("a request in progress is no longer counted", () => {
  beforeEach(() => changeSetting(db(), "requests_in_progress", "1"));

  test("once it is answered", async () => {
    const { key } = await aKey();
    const gate = aGate();
    const first = call(gate.endpoint, { key, body: {} });
    const { letGo } = await gate.enters(1);
    const second = await call(read, { key, params });
    expect(second).toMatchObject({ status: 429, body: { name: "rate_limit_exceeded" } });
    expect(second.headers.get("retry-after")).toMatch(/^\d+$/);

    letGo();
    expect(await first).toMatchObject({ status: 200 });
    expect(await call(read, { key, params })).toMatchObject({ status: 200 });
  });

  test("once it failed", async () => {
    const { key } = await aKey();
    const gate = aGate();
    const first = call(gate.endpoint, { key, body: {} });
    (await gate.enters(1)).fail();
    await first;
    await expect.poll(async () => (await call(read, { key, params })).status).toBe(200);
  });

  test("once its client has disconnected while sending the body", async () => {
    const { key } = await aKey();
    const isRead = Promise.withResolvers();
    const stream = new Readable({ read: () => isRead.resolve(null) });
    const answering = send(aGate().endpoint, key, stream);
    await isRead.promise;
    stream.push("{");
    expect(await call(read, { key, params })).toMatchObject({ status: 429 });

    stream.destroy(new Error("aborted"));
    expect(await answering).toMatchObject({ status: 408, error: "request_timeout" });
    await expect.poll(async () => (await call(read, { key, params })).status).toBe(200);
  });
});

/** A request whose body comes from `stream`. */
function send(endpoint: AnyEndpoint, key: string, stream: Readable, contentLength?: number) {
  return createRouter([endpoint])({
    method: endpoint.method,
    path: endpoint.path,
    query: "",
    headers: {
      authorization: `Bearer ${key}`,
      ...(contentLength !== undefined && { "content-length": String(contentLength) }),
    },
    address: "127.0.0.1",
    requestId: "test",
    stream,
  });
}

describe("a body over 2 MB", () => {
  const large = () =>
    Readable.from([Buffer.from('{"x":"'), Buffer.alloc(2 * MB, "x"), Buffer.from('"}')]);
  const small = () => Readable.from([Buffer.from("{}")]);

  test.each([
    ["announced", 2 * MB + 8],
    ["in chunks", undefined],
  ])("%s: one at a time", async (_, length) => {
    const { key } = await aKey();
    const gate = aGate();
    const first = send(gate.endpoint, key, large(), length);
    const { letGo } = await gate.enters(1);

    const second = await send(gate.endpoint, key, large(), length);
    expect(second).toMatchObject({ status: 429, error: "rate_limit_exceeded" });
    expect(second.headers.get("retry-after")).toMatch(/^[12]$/);
    const little = send(gate.endpoint, key, small());
    (await gate.enters(2)).letGo();
    expect(await little).toMatchObject({ status: 200 });

    letGo();
    expect(await first).toMatchObject({ status: 200, body: `{"bytes":${2 * MB + 8}}` });
    await expect.poll(async () => (await call(read, { key, params })).status).toBe(200);
    const third = send(gate.endpoint, key, large(), length);
    (await gate.enters(3)).letGo();
    expect(await third).toMatchObject({ status: 200 });
  });

  test("doesn't block other large bodies while it is uploading", async () => {
    const { key } = await aKey();
    const gate = aGate();
    const slow = new PassThrough();
    const first = send(gate.endpoint, key, slow, 2 * MB + 8);
    slow.write(Buffer.from('{"x":"'));
    slow.write(Buffer.alloc(1.5 * MB, "x"));
    // Until it has been admitted, which a large request in progress would prevent.
    await expect.poll(() => slow.readableLength + slow.writableLength).toBe(0);
    const second = send(gate.endpoint, key, large(), 2 * MB + 8);
    (await gate.enters(1)).letGo();
    expect(await second).toMatchObject({ status: 200 });
    slow.write(Buffer.alloc(0.5 * MB, "x"));
    slow.end('"}');
    (await gate.enters(2)).letGo();
    expect(await first).toMatchObject({ status: 200 });
  });

  test("is rejected by its Content-Length before any of it is read", async () => {
    const { key } = await aKey();
    const gate = aGate();
    const first = send(gate.endpoint, key, large(), 2 * MB + 8);
    const { letGo } = await gate.enters(1);
    const unread = new Readable({ read: () => expect.unreachable("the body was read") });
    expect(await send(gate.endpoint, key, unread, 2 * MB + 8)).toMatchObject({ status: 429 });
    letGo();
    await first;
  });
});

describe("the request log", () => {
  const entriesOf = async (companyId: string) => {
    await flushRequestLog();
    return db().select().from(requestLog).where(eq(requestLog.companyId, companyId));
  };

  test("contains a request without its query", async () => {
    const { companyId, key } = await aKey();
    const headers = { "user-agent": "u".repeat(301) };
    await call(read, { key, params, query: { limit: "7" }, headers });
    expect(await entriesOf(companyId)).toMatchObject([
      {
        method: "GET",
        endpoint: `/things/${ID}`,
        responseStatus: 200,
        error: null,
        userAgent: "u".repeat(300),
      },
    ]);
  });

  test.each([
    ["not_found", 404, {}, {}],
    ["restricted_api_key", 401, {}, { permission: "sending_access" }],
    ["invalid_permission", 403, {}, { privileges: [] }],
    ["account_suspended", 403, { overdueInvoice }, {}],
  ] satisfies [string, number, CompanyGiven, KeyGiven][])(
    "contains a request rejected with %s",
    async (error, responseStatus, company, keyGiven) => {
      const { companyId, key } = await aKey(company, keyGiven);
      await call(read, { key, params: { id: "x" } });
      expect(await entriesOf(companyId)).toMatchObject([
        { responseStatus, error, userAgent: null },
      ]);
    },
  );

  test("contains a request over the rate", async () => {
    await changeSetting(db(), "request_rate_per_second", "1");
    const { companyId, key } = await aKey();
    await call(read, { key, params });
    await call(read, { key, params });
    expect((await entriesOf(companyId)).map(({ error }) => error).sort()).toEqual([
      null,
      "rate_limit_exceeded",
    ]);
  });

  test("omits requests without an accepted key, and requests to unknown paths", async () => {
    const { companyId, key } = await aKey({ serviceEnabled: false });
    await call(read, { key, params });
    const open = await aKey();
    for (const [method, path] of [
      ["GET", "/nothing"],
      ["DELETE", `/things/${ID}`],
    ] as const)
      await createRouter([read])({
        method,
        path,
        query: "",
        headers: { authorization: `Bearer ${open.key}` },
        address: "127.0.0.1",
        requestId: "test",
        stream: Readable.from([]),
      });
    expect(await entriesOf(companyId)).toEqual([]);
    expect(await entriesOf(open.companyId)).toEqual([]);
  });
});
