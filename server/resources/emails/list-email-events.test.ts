import { beforeAll, describe, expect, test } from "vitest";

import { emailEvents } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/;

async function anEmail() {
  const { id: companyId } = await aCompany();
  const { token: key } = await anApiKey(companyId);
  const { name } = await aDomain(companyId);
  const body = { from: `a@${name}`, to: "b@example.org", subject: "Hello", text: "Hi" };
  const { id } = (await call(emailsApi.send, { key, body })).body as { id: string };
  return { id, key, companyId };
}

type Event = { id: string; type: string };
type Listed = { has_more: boolean; data: Event[] };

let email: Awaited<ReturnType<typeof anEmail>>;
let all: string[];

beforeAll(async () => {
  email = await anEmail();
  const entry = { emailId: email.id, companyId: email.companyId };
  const outcome = { ...entry, recipient: "b@example.org" };
  await db()
    .insert(emailEvents)
    .values([
      { ...outcome, type: "delivery_delayed", dsn: "4.2.2", message: "452 4.2.2 full" },
      { ...outcome, type: "delivered", dsn: "2.0.0", message: "250 ok" },
      { ...entry, type: "opened", ipAddress: "192.0.2.1", userAgent: "Mail/1" },
      {
        ...entry,
        type: "clicked",
        link: "https://example.org/",
        ipAddress: "192.0.2.1",
        userAgent: "Mail/1",
      },
      { ...outcome, type: "suppressed", reason: "it bounced" },
    ]);
  all = (await page({})).ids;
});

async function page(query: Record<string, string>) {
  const { key, id } = email;
  const { status, body } = await call(emailsApi.listEvents, { key, params: { id }, query });
  expect(status).toBe(200);
  const { has_more: hasMore, data } = body as Listed;
  return { ids: data.map(({ id }) => id), hasMore, data };
}

describe("GET /emails/{id}/events", () => {
  test("lists the history oldest first and omits fields without a value", async () => {
    const { data, hasMore } = await page({});

    expect(hasMore).toBe(false);
    const common = {
      object: "email_event",
      id: expect.stringMatching(/^\d+$/) as string,
      created_at: expect.stringMatching(TIMESTAMP) as string,
    };
    const reader = { ip_address: "192.0.2.1", user_agent: "Mail/1" };
    expect(data).toEqual([
      { ...common, type: "email.sent", recipient: null },
      {
        ...common,
        type: "email.delivery_delayed",
        recipient: "b@example.org",
        dsn: "4.2.2",
        message: "452 4.2.2 full",
      },
      {
        ...common,
        type: "email.delivered",
        recipient: "b@example.org",
        dsn: "2.0.0",
        message: "250 ok",
      },
      { ...common, type: "email.opened", recipient: null, ...reader },
      {
        ...common,
        type: "email.clicked",
        recipient: null,
        ...reader,
        link: "https://example.org/",
      },
      { ...common, type: "email.suppressed", recipient: "b@example.org", reason: "it bounced" },
    ]);
  });

  test("pages forward with after and backward with before, in list order", async () => {
    expect(await page({ limit: "2" })).toMatchObject({ ids: all.slice(0, 2), hasMore: true });
    expect(await page({ after: all[1]!, limit: "3" })).toMatchObject({
      ids: all.slice(2, 5),
      hasMore: true,
    });
    expect(await page({ after: all[4]! })).toMatchObject({ ids: all.slice(5), hasMore: false });
    expect(await page({ after: all[5]! })).toMatchObject({ ids: [], hasMore: false });
    expect(await page({ before: all[4]!, limit: "2" })).toMatchObject({
      ids: all.slice(2, 4),
      hasMore: true,
    });
    expect(await page({ before: all[2]! })).toMatchObject({ ids: all.slice(0, 2), hasMore: false });
  });

  test("rejects an event of another email as a cursor, even of the same company", async () => {
    const other = await anEmail();
    const { body } = await call(emailsApi.listEvents, { key: other.key, params: { id: other.id } });
    const foreign = (body as Listed).data[0]!.id;

    for (const cursor of ["after", "before"])
      expect(
        await call(emailsApi.listEvents, {
          key: email.key,
          params: { id: email.id },
          query: { [cursor]: foreign },
        }),
      ).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "Invalid pagination cursor" },
      });
  });

  test("returns not_found for another company's email, whatever the cursor", async () => {
    const { key } = await anEmail();

    for (const query of [{}, { after: all[0]! }, { after: "abc" }] as Record<string, string>[])
      expect(
        await call(emailsApi.listEvents, { key, params: { id: email.id }, query }),
      ).toMatchObject({
        status: 404,
        body: { statusCode: 404, name: "not_found", message: "Email not found" },
      });
  });

  test.each(["01990000-0000-7000-8000-000000000000", "nothing"])(
    "returns 404 for %s",
    async (id) => {
      expect(await call(emailsApi.listEvents, { key: email.key, params: { id } })).toMatchObject({
        status: 404,
        body: { message: "Email not found" },
      });
    },
  );

  test.each([
    ["limit 0", { limit: "0" }],
    ["limit 101", { limit: "101" }],
    ["both cursors", { after: "1", before: "2" }],
    ["a cursor that is no number", { after: "abc" }],
    ["a number beyond 64 bits", { after: "9".repeat(30) }],
    ["a negative number", { before: "-1" }],
    ["an id of nothing", { after: "999999999999999999" }],
  ])("rejects %s", async (_, query) => {
    expect(
      await call(emailsApi.listEvents, { key: email.key, params: { id: email.id }, query }),
    ).toMatchObject({ status: 422, body: { statusCode: 422, name: "validation_error" } });
  });
});
