import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import { emailEvents } from "#drizzle/schema/index.ts";
import { authenticateKey } from "#server/core/api-keys/authenticate-key.ts";
import { sendEmail } from "#server/core/emails/send-email.ts";
import type { Privilege } from "#server/core/privileges.ts";
import { startSession } from "#server/core/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { getEmail } from "./get-email.ts";
import { listEmailEvents } from "./list-email-events.ts";
import { listEmails } from "./list-emails.ts";

async function aSender() {
  const company = await aCompany();
  const domain = await aDomain(company.id);
  const { token } = await anApiKey(company.id);
  const key = await authenticateKey(db(), { token, address: "127.0.0.1" });
  return {
    companyId: company.id,
    domain: domain.name,
    send: async (subject: string) => {
      const from = { name: "", address: `hello@${domain.name}` };
      const { id } = await sendEmail(aContext(company.id), key, {
        from: from.address,
        fromAddress: from,
        to: [{ name: "Ben, Bo", address: "ben@example.net" }],
        cc: [{ name: "", address: "carla@example.net" }],
        bcc: [],
        replyTo: [],
        subject,
        html: "<p>Hello</p>",
        text: null,
        headers: { "X-Order": "7" },
        tags: [{ name: "kind", value: "receipt" }],
        scheduledAt: null,
        attachments: [],
      });
      return id;
    },
  };
}

async function aSession(companyId: string, privileges: Privilege[] = ["api_controls"]) {
  const admin = await anAdmin(companyId, { privileges });
  return (await startSession(db(), admin.id)).split(";")[0]!;
}

test("lists the company's emails, newest first, by keyset", async () => {
  const sender = await aSender();
  const first = await sender.send("First");
  const second = await sender.send("Second");
  const cookie = await aSession(sender.companyId);

  const page = await call(listEmails, { cookie, query: { limit: "1" } });
  expect(page.body).toMatchObject({
    has_more: true,
    data: [
      {
        id: second,
        subject: "Second",
        to: ["ben@example.net"],
        further_recipients: 1,
        status: "sent",
      },
    ],
  });
  const next = await call(listEmails, { cookie, query: { limit: "1", after: second } });
  expect(next.body).toMatchObject({ has_more: false, data: [{ id: first }] });
});

test("shows an email as it was sent, and its history in order", async () => {
  const sender = await aSender();
  const id = await sender.send("Receipt");
  await db().insert(emailEvents).values({
    emailId: id,
    companyId: sender.companyId,
    type: "bounced",
    recipient: "ben@example.net",
    dsn: "5.1.1",
    message: "550 no such user",
  });
  const cookie = await aSession(sender.companyId);

  const email = await call(getEmail, { cookie, params: { id } });
  expect(email.body).toMatchObject({
    message_id: `<${id}@${sender.domain}>`,
    to: ['"Ben, Bo" <ben@example.net>'],
    cc: ["carla@example.net"],
    tags: [{ name: "kind", value: "receipt" }],
    content: { html: "<p>Hello</p>", text: null, headers: { "X-Order": "7" } },
  });
  const events = await call(listEmailEvents, { cookie, params: { id } });
  expect(events.body).toMatchObject({
    has_more: false,
    data: [
      { type: "sent", recipient: null },
      { type: "bounced", recipient: "ben@example.net", dsn: "5.1.1", message: "550 no such user" },
    ],
  });
});

const endpoints: [string, AnyEndpoint][] = [
  ["list", listEmails],
  ["detail", getEmail],
  ["history", listEmailEvents],
];

test.each(endpoints)("%s: nobody signed in is 401", async (_, endpoint) => {
  const answered = await call(endpoint, { params: { id: randomUUID() } });
  expect(answered).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
});

test.each(endpoints)("%s: a person without api_controls is 403", async (_, endpoint) => {
  const sender = await aSender();
  const params = { id: await sender.send("Secret") };
  const cookie = await aSession(sender.companyId, ["domains"]);
  const answered = await call(endpoint, { cookie, params });
  expect(answered).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
});

test("another company's email does not exist here", async () => {
  const sender = await aSender();
  const id = await sender.send("Secret");
  const cookie = await aSession((await aCompany()).id);

  for (const endpoint of [getEmail, listEmailEvents])
    expect(await call(endpoint, { cookie, params: { id } })).toMatchObject({
      status: 404,
      body: { name: "not_found", message: "Email not found" },
    });
  expect((await call(listEmails, { cookie })).body).toMatchObject({ data: [] });
  expect((await call(listEmails, { cookie, query: { after: id } })).status).toBe(422);
});
