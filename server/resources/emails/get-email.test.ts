import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { emailBodies, emails } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/;

async function anEmail(fields: object = {}) {
  const { id: companyId } = await aCompany();
  const { token: key } = await anApiKey(companyId);
  const { name: domain } = await aDomain(companyId);
  const body = {
    from: `a@${domain}`,
    to: "b@example.org",
    subject: "Hello",
    text: "Hi",
    ...fields,
  };
  const { id } = (await call(emailsApi.send, { key, body })).body as { id: string };
  return { id, key, domain };
}

describe("GET /emails/{id}", () => {
  test("returns the whole email, with [] for empty lists", async () => {
    const { id, key, domain } = await anEmail();

    const { status, body } = await call(emailsApi.get, { key, params: { id } });

    expect(status).toBe(200);
    expect(body).toEqual({
      object: "email",
      id,
      message_id: `<${id}@${domain}>`,
      to: ["b@example.org"],
      from: `a@${domain}`,
      created_at: expect.stringMatching(TIMESTAMP) as string,
      subject: "Hello",
      cc: [],
      bcc: [],
      reply_to: [],
      last_event: "sent",
      scheduled_at: null,
      html: null,
      text: "Hi",
      tags: [],
    });
  });

  test("returns the fields as sent: display name in from only, tags, both bodies", async () => {
    const tags = [{ name: "kind", value: "greeting" }];
    const { id, key } = await anEmail({
      to: ["Bob <Bob@Example.org>"],
      cc: "c@example.org",
      bcc: ["d@example.org"],
      reply_to: ["E <e@example.org>", "f@example.org"],
      html: "<p>Hi</p>",
      text: "",
      tags,
    });

    expect((await call(emailsApi.get, { key, params: { id } })).body).toMatchObject({
      to: ["bob@example.org"],
      cc: ["c@example.org"],
      bcc: ["d@example.org"],
      reply_to: ["e@example.org", "f@example.org"],
      html: "<p>Hi</p>",
      text: "",
      tags,
    });
  });

  test("returns null for the bodies once they are deleted", async () => {
    const { id, key } = await anEmail({ html: "<p>Hi</p>" });
    await db().delete(emailBodies).where(eq(emailBodies.emailId, id));

    expect((await call(emailsApi.get, { key, params: { id } })).body).toMatchObject({
      subject: "Hello",
      html: null,
      text: null,
    });
  });

  test("returns no message_id before the email is sent, and the due time of a scheduled one", async () => {
    const { id, key } = await anEmail();
    await db()
      .update(emails)
      .set({ lastEvent: "scheduled", messageId: null, scheduledAt: "2031-01-02T03:04:05.6Z" })
      .where(eq(emails.id, id));

    expect((await call(emailsApi.get, { key, params: { id } })).body).toMatchObject({
      last_event: "scheduled",
      message_id: null,
      scheduled_at: "2031-01-02 03:04:05.600000+00",
    });
  });

  test("finds an email by an uppercase id", async () => {
    const { id, key } = await anEmail();

    expect(await call(emailsApi.get, { key, params: { id: id.toUpperCase() } })).toMatchObject({
      status: 200,
      body: { id },
    });
  });

  test("returns not_found for another company's email", async () => {
    const [{ id }, { key }] = [await anEmail(), await anEmail()];

    expect(await call(emailsApi.get, { key, params: { id } })).toMatchObject({
      status: 404,
      body: { statusCode: 404, name: "not_found", message: "Email not found" },
    });
  });

  test.each([
    ["an id of nothing", "01990000-0000-7000-8000-000000000000"],
    ["a word", "receiving"],
    ["a NUL", "\0"],
    ["a path", "../emails"],
    ["an id with a line break", "01990000-0000-7000-8000-000000000000\n"],
    ["an id with a comment", "01990000-0000-7000-8000-000000000000' or '1'='1"],
  ])("returns 404 for %s", async (_, id) => {
    const { token: key } = await anApiKey((await aCompany()).id);

    expect(await call(emailsApi.get, { key, params: { id } })).toMatchObject({
      status: 404,
      body: { statusCode: 404, name: "not_found", message: "Email not found" },
    });
  });
});
