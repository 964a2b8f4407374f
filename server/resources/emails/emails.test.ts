import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import {
  emailAttachments,
  emailBodies,
  emailEvents,
  type EmailState,
  emails,
  outbox,
} from "#drizzle/schema/index.ts";
import { type CountedEventType, eventBits } from "#server/core/sending/events/email-events.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aSendingCompany, send } from "#server/testing/console-emails.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aSuppression } from "#server/testing/factories.ts";

import { emailsConsole } from "./console.ts";

const EMAIL = { from: "a@x.example", to: "b@y.example", subject: "Hello", text: "Hello" };
const FILE = {
  filename: "bill.pdf",
  contentType: "application/pdf",
  contentId: null,
  content: Buffer.from("%PDF"),
};

const emailEndpoints: [AnyEndpoint, body?: unknown][] = [
  [emailsConsole.get],
  [emailsConsole.listEvents],
  [emailsConsole.getSource],
  [emailsConsole.getAttachment],
  [emailsConsole.downloadAttachment],
  [emailsConsole.download],
  [emailsConsole.cancel],
  [emailsConsole.reschedule, { scheduledAt: "in 1 hour" }],
  [emailsConsole.resend],
];
const allEndpoints: typeof emailEndpoints = [
  ...([
    [emailsConsole.list],
    [emailsConsole.getChoices],
    [emailsConsole.compose, EMAIL],
  ] as typeof emailEndpoints),
  ...emailEndpoints,
];
const named = (endpoints: typeof emailEndpoints) =>
  endpoints.map(
    ([endpoint, body]) => [`${endpoint.method} ${endpoint.path}`, endpoint, body] as const,
  );

test.each(named(allEndpoints))("%s returns 401 without a session", async (_, endpoint, body) => {
  const params = { id: randomUUID(), position: "0" };
  expect(await callFromPage(endpoint, { params, body })).toMatchObject({
    status: 401,
    body: { name: "not_signed_in" },
  });
});

test.each(named(allEndpoints))(
  "%s returns 403 without the api_controls privilege",
  async (_, endpoint, body) => {
    const company = await aSendingCompany();
    const params = { id: await send(company), position: "0" };
    const cookie = await aSession(company.companyId, ["domains", "manage_settings"]);
    expect(await callFromPage(endpoint, { cookie, params, body })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  },
);

test.each(named(emailEndpoints))(
  "%s returns 404 for another company's email",
  async (_, endpoint, body) => {
    const id = await send(await aSendingCompany(), { attachments: [FILE] });
    const { cookie } = await aSendingCompany();
    const answered = await callFromPage(endpoint, { cookie, params: { id, position: "0" }, body });
    expect(answered).toMatchObject({ status: 404, body: { name: "not_found" } });
  },
);

describe("the list", () => {
  test("contains the company's own emails, newest first, with keyset pagination", async () => {
    const company = await aSendingCompany();
    const first = await send(company, { subject: "First" });
    const second = await send(company, { subject: "Second" });
    const { cookie, domain } = company;
    const page = await call(emailsConsole.list, { cookie, query: { limit: "1" } });
    expect(page.body).toMatchObject({
      hasMore: true,
      searchedTo: null,
      data: [
        {
          id: second,
          subject: "Second",
          to: ["ben@example.net"],
          furtherRecipients: 1,
          status: "sent",
          domain: domain.name,
          key: "Test key",
        },
      ],
    });
    const next = await call(emailsConsole.list, { cookie, query: { limit: "1", after: second } });
    expect(next.body).toMatchObject({ hasMore: false, data: [{ id: first }] });
    const other = await aSendingCompany();
    expect((await call(emailsConsole.list, { cookie: other.cookie })).body).toMatchObject({
      data: [],
    });
    const query = { after: second };
    expect((await call(emailsConsole.list, { cookie: other.cookie, query })).status).toBe(422);
  });

  test.each<[query: Record<string, string>, found: boolean]>([
    [{ recipient: " CARLA@" }, true],
    [{ recipient: "dora" }, false],
    [{ subject: "invoice your" }, true],
    [{ subject: "invoice mine" }, false],
    [{ status: "bounced,sent" }, true],
    [{ status: "bounced" }, false],
    [{ tag: "kind" }, true],
    [{ tag: "kind=receipt" }, true],
    [{ tag: "kind=other" }, false],
    [{ key: "none" }, false],
    [{ key: randomUUID() }, false],
    [{ domain: randomUUID() }, false],
    [{ from: "2020-01-01T00:00:00Z" }, true],
    [{ to: "2020-01-01T00:00:00Z" }, false],
    [{ recipient: "carla", status: "sent", tag: "kind", subject: "invoice" }, true],
    [{ recipient: "carla", status: "failed" }, false],
    [{ search: " CARLA@" }, true],
    [{ search: "invoice mine" }, false],
    [{ recipient: "", subject: "", status: "" }, true],
  ])("filtered by %o, contains the email: %s", async (query, found) => {
    const company = await aSendingCompany();
    const id = await send(company, { subject: "Your Invoice 7" });
    const { body } = await call(emailsConsole.list, { cookie: company.cookie, query });
    expect(body).toMatchObject({ data: found ? [{ id }] : [], hasMore: false });
  });

  test.each<[happened: CountedEventType[], last: EmailState, troubles: CountedEventType[]]>([
    [["sent", "delivered"], "delivered", []],
    [["sent", "bounced", "delivered"], "delivered", ["bounced"]],
    [["sent", "bounced", "delivered"], "bounced", []],
    [
      ["suppressed", "failed", "sent", "complained"],
      "sent",
      ["failed", "suppressed", "complained"],
    ],
  ])("after %o with %s as the newest, also reports %o", async (happened, lastEvent, troubles) => {
    const company = await aSendingCompany();
    const id = await send(company);
    const eventTypes = eventBits(happened);
    await db().update(emails).set({ lastEvent, eventTypes }).where(eq(emails.id, id));
    expect((await call(emailsConsole.list, { cookie: company.cookie })).body).toMatchObject({
      data: [{ id, status: lastEvent, troubles }],
    });
    for (const status of ["bounced", "failed", "delivered"]) {
      const { body } = await call(emailsConsole.list, {
        cookie: company.cookie,
        query: { status },
      });
      const isIn = [lastEvent, ...troubles].includes(status as CountedEventType);
      expect(body).toMatchObject({ data: isIn ? [{ id }] : [] });
    }
  });

  test("can be filtered by API key and by domain", async () => {
    const company = await aSendingCompany();
    const id = await send(company);
    const queries: Record<string, string>[] = [
      { key: company.keyId },
      { domain: company.domain.id },
    ];
    for (const query of queries)
      expect(
        (await call(emailsConsole.list, { cookie: company.cookie, query })).body,
      ).toMatchObject({
        data: [{ id }],
      });
  });

  test.each<Record<string, string>>([
    { status: "lost" },
    { key: "x" },
    { domain: "x" },
    { from: "yesterday" },
    { recipient: "x".repeat(201) },
  ])("rejects the invalid filter %o", async (query) => {
    const { cookie } = await aSendingCompany();
    expect(await call(emailsConsole.list, { cookie, query })).toMatchObject({
      status: 422,
      body: { name: "validation_error" },
    });
  });
});

test("retrieves an email with its content, origin and attachments", async () => {
  const company = await aSendingCompany();
  const { cookie, domain, keyId } = company;
  const id = await send(company, { attachments: [FILE] });
  const email = await call(emailsConsole.get, { cookie, params: { id } });
  expect(email.body).toMatchObject({
    messageId: `<${id}@${domain.name}>`,
    to: ['"Ben, Bo" <ben@example.net>'],
    cc: ["carla@example.net"],
    tags: [{ name: "kind", value: "receipt" }],
    domain: { id: domain.id, name: domain.name },
    apiKey: { id: keyId, name: "Test key", isRevoked: false },
    sentBy: null,
    attachments: [
      {
        position: 0,
        filename: "bill.pdf",
        contentType: "application/pdf",
        contentId: null,
        size: 4,
      },
    ],
    content: { html: "<p>Hello</p>", text: null, headers: { "X-Order": "7" } },
  });
  const file = await call(emailsConsole.getAttachment, { cookie, params: { id, position: "0" } });
  expect(file.body).toEqual({ content: FILE.content.toString("base64") });
  const saved = await call(emailsConsole.downloadAttachment, {
    cookie,
    params: { id, position: "0" },
  });
  expect(saved.body).toBe(FILE.content.toString());
  expect(Object.fromEntries(saved.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="bill.pdf"; filename*=UTF-8''bill.pdf`,
    "x-content-type-options": "nosniff",
  });
  for (const endpoint of [emailsConsole.getAttachment, emailsConsole.downloadAttachment])
    for (const position of ["1", "x", "-1", "99999"])
      expect(await call(endpoint, { cookie, params: { id, position } })).toMatchObject({
        status: 404,
        body: { message: "Attachment not found" },
      });
});

test("reports each recipient's status with its reason and advice", async () => {
  const company = await aSendingCompany();
  const { companyId, cookie } = company;
  const to = ["ok", "gone", "late", "new"].map((name) => ({
    name: "",
    address: `${name}@there.example`,
  }));
  const id = await send(company, { to, cc: [to[0]!] });
  const event = (
    type: "delivered" | "bounced" | "delivery_delayed",
    at: number,
    words: string,
  ) => ({
    emailId: id,
    companyId,
    type,
    recipient: to[at]!.address,
    dsn: words.slice(0, 5),
    message: words.slice(6),
  });
  await db()
    .insert(emailEvents)
    .values([
      event("delivery_delayed", 0, "4.3.2 450 busy"),
      event("delivered", 0, "2.0.0 250 OK"),
      event("bounced", 1, "5.1.1 550 no such user"),
      event("delivery_delayed", 2, "4.2.2 452 full"),
    ]);
  for (const done of [0, 1])
    await db().delete(outbox).where(eq(outbox.recipient, to[done]!.address));
  await db()
    .update(outbox)
    .set({ attempt: 1, nextAttemptAt: "2030-01-01T00:00:00Z" })
    .where(eq(outbox.recipient, to[2]!.address));
  await aSuppression(companyId, { email: to[1]!.address, origin: "bounce", sourceId: id });

  const { body } = await call(emailsConsole.get, { cookie, params: { id } });
  const done = { nextAttemptAt: null, isBeingTried: false, givenUpAt: null, failures: 0 };
  expect((body as { recipients: unknown[] }).recipients).toMatchObject([
    { ...done, address: "ok@there.example", field: "to", status: "delivered", explanation: null },
    {
      ...done,
      address: "gone@there.example",
      status: "bounced",
      explanation: { why: "The mailbox does not exist at there.example." },
      reply: { dsn: "5.1.1", message: "550 no such user" },
      suppression: { origin: "bounce", isOfThisEmail: true },
    },
    {
      address: "late@there.example",
      status: "delivery_delayed",
      failures: 1,
      explanation: { why: "The mailbox at there.example is full.", advice: null },
      nextAttemptAt: "2030-01-01T00:00:00.000Z",
    },
    { address: "new@there.example", status: "sent", explanation: null, suppression: null },
  ]);
  const events = await call(emailsConsole.listEvents, { cookie, params: { id } });
  expect(events.body).toMatchObject({
    hasMore: false,
    data: [
      { type: "sent", recipient: null, explanation: null },
      { type: "delivery_delayed", explanation: { advice: null } },
      { type: "delivered", explanation: null },
      {
        type: "bounced",
        dsn: "5.1.1",
        explanation: { why: expect.stringContaining("does not exist") as string },
      },
      { type: "delivery_delayed" },
    ],
  });
});

test("the source is the message as the worker generates it", async () => {
  const company = await aSendingCompany();
  const id = await send(company, { attachments: [FILE] });
  const { body } = await call(emailsConsole.getSource, { cookie: company.cookie, params: { id } });
  const { message, size } = body as { message: string; size: number };
  expect(message).toContain(`Message-ID: <${id}@${company.domain.name}>\r\n`);
  expect(message).toContain("Subject: Receipt\r\n");
  expect(message).toContain("bill.pdf");
  expect(message).toHaveLength(size);
  const large = await send(company, { text: "x\n".repeat(200_000), html: null });
  const ofLarge = { cookie: company.cookie, params: { id: large } };
  const shown = (await call(emailsConsole.getSource, ofLarge)).body as {
    message: string;
    size: number;
  };
  expect(shown.message).toHaveLength(200_000);
  const file = await call(emailsConsole.download, ofLarge);
  expect(file.body).toHaveLength(shown.size);
  expect(file.headers.get("content-disposition")).toContain(`attachment; filename="${large}.eml"`);
});

test("once the content is deleted, source and resend fail but the rest remains", async () => {
  const company = await aSendingCompany();
  const { cookie } = company;
  const id = await send(company, { attachments: [FILE] });
  await db().delete(emailBodies).where(eq(emailBodies.emailId, id));
  await db().delete(emailAttachments).where(eq(emailAttachments.emailId, id));
  expect((await call(emailsConsole.get, { cookie, params: { id } })).body).toMatchObject({
    content: null,
    attachments: [],
    to: ["ben@example.net"],
  });
  for (const endpoint of [emailsConsole.getSource, emailsConsole.resend])
    expect(await callFromPage(endpoint, { cookie, params: { id } })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("no longer stored") as string },
    });
  expect(await db().$count(emails, eq(emails.companyId, company.companyId))).toBe(1);
});

test("the choices are the company's own domains and keys", async () => {
  await aSendingCompany();
  const { cookie, domain, keyId } = await aSendingCompany();
  expect((await call(emailsConsole.getChoices, { cookie })).body).toEqual({
    domains: [{ id: domain.id, name: domain.name, maySend: true }],
    keys: [{ id: keyId, name: "Test key", isRevoked: false }],
  });
});
