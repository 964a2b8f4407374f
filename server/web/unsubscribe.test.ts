import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import {
  companies,
  emailEvents,
  emails,
  suppressions,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { suppressionsApi } from "#server/resources/suppressions/api.ts";
import { signClick, signUnsubscribe } from "#server/core/sending/tracking/tracking-token.ts";
import { deleteOldSuppressions } from "#server/core/sending/suppressions/suppressions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aSuppression, aWebhook } from "#server/testing/factories.ts";
import { aTrackedEmail, aTrackingServer } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

const RECIPIENT = "ann@example.org";

type Email = Awaited<ReturnType<typeof aTrackedEmail>>;

const linkOf = ({ id, sender: { companyId } }: Email) =>
  `/t/u/${signUnsubscribe({ companyId, emailId: id, recipient: RECIPIENT, isTest: false })}`;
const unsubscribe = (email: Email) =>
  web.ask(linkOf(email), { "content-type": "application/x-www-form-urlencoded" }, "POST");
const suppressionsOf = ({ sender }: Email) =>
  db().select().from(suppressions).where(eq(suppressions.companyId, sender.companyId));
const historyOf = ({ id }: Email) =>
  db().select().from(emailEvents).where(eq(emailEvents.emailId, id)).orderBy(emailEvents.id);

test("opening the link asks and changes nothing", async () => {
  const email = await aTrackedEmail();
  for (const method of ["GET", "HEAD"]) {
    const answer = await web.ask(linkOf(email), {}, method);
    expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
    expect(answer.headers["content-security-policy"]).toContain("form-action 'self';");
  }
  const { text } = await web.ask(linkOf(email));
  expect(text).toContain('<form method="post">');
  expect(text).toContain(RECIPIENT);
  expect(await suppressionsOf(email)).toEqual([]);
  expect(await historyOf(email)).toHaveLength(1);
});

test("a POST suppresses the recipient and records it once, however often it comes", async () => {
  const email = await aTrackedEmail();
  const webhook = await aWebhook(email.sender.companyId);

  const answers = await Promise.all([unsubscribe(email), unsubscribe(email), unsubscribe(email)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[0].text).toContain("You’re unsubscribed");

  expect(await suppressionsOf(email)).toMatchObject([
    { email: RECIPIENT, origin: "unsubscribe", sourceId: email.id },
  ]);
  const sent = await db()
    .select()
    .from(webhookEvents)
    .where(eq(webhookEvents.webhookId, webhook.id));
  expect(sent).toMatchObject([
    {
      type: "email.unsubscribed",
      payload: { type: "email.unsubscribed", data: { email_id: email.id, to: [RECIPIENT] } },
    },
  ]);
  const { key } = email;
  const { body: events } = await call(emailsApi.listEvents, { key, params: { id: email.id } });
  expect(events).toMatchObject({
    data: [
      { type: "email.sent" },
      { type: "email.unsubscribed", recipient: RECIPIENT, ip_address: "127.0.0.1" },
    ],
  });
  // Clients know the states of an email and three origins of suppressions.
  const { body } = await call(emailsApi.get, { key, params: { id: email.id } });
  expect(body).toMatchObject({ last_event: "sent" });
  expect((await call(suppressionsApi.get, { key, params: { id: RECIPIENT } })).body).toMatchObject({
    origin: "manual",
    source_id: email.id,
  });
  for (const [origin, count] of [
    ["manual", 1],
    ["bounce", 0],
  ] as const) {
    const { body: list } = await call(suppressionsApi.list, { key, query: { origin } });
    expect((list as { data: unknown[] }).data).toHaveLength(count);
  }
});

test("suppresses and records again after the suppression was removed", async () => {
  const email = await aTrackedEmail();
  await unsubscribe(email);
  await db().delete(suppressions).where(eq(suppressions.companyId, email.sender.companyId));
  await unsubscribe(email);
  expect(await suppressionsOf(email)).toHaveLength(1);
  expect((await historyOf(email)).map(({ type }) => type)).toEqual([
    "sent",
    "unsubscribed",
    "unsubscribed",
  ]);
});

test.each([
  ["complaint", "complaint"],
  ["manual", "manual"],
  // Those of bounces are deleted after a while.
  ["bounce", "unsubscribe"],
] as const)("a suppression of a %s becomes one of a %s", async (before, after) => {
  const email = await aTrackedEmail();
  const given = { email: RECIPIENT, origin: before, createdAt: "2020-01-01 00:00:00+00" };
  await aSuppression(email.sender.companyId, given);
  const [{ id } = { id: "" }] = await suppressionsOf(email);
  await unsubscribe(email);
  await deleteOldSuppressions(db(), 30);
  expect(await suppressionsOf(email)).toMatchObject([{ id, origin: after }]);
  expect((await historyOf(email)).at(-1)).toMatchObject({ type: "unsubscribed" });
});

test("works without the email, and does nothing without the company", async () => {
  const email = await aTrackedEmail();
  await db().delete(emails).where(eq(emails.id, email.id));
  expect(await unsubscribe(email)).toMatchObject({ status: 200 });
  expect(await suppressionsOf(email)).toMatchObject([{ email: RECIPIENT }]);
  await db().delete(companies).where(eq(companies.id, email.sender.companyId));
  expect(await unsubscribe(email)).toMatchObject({ status: 200 });
});

test("a link of another company's email changes neither", async () => {
  const [ours, theirs] = [await aTrackedEmail(), await aTrackedEmail()];
  await unsubscribe({ ...ours, sender: theirs.sender });
  expect(await historyOf(ours)).toHaveLength(1);
  expect(await suppressionsOf(ours)).toEqual([]);
});

test("other tokens are 404 and other methods 405", async () => {
  const email = await aTrackedEmail();
  const token = linkOf(email).slice("/t/u/".length);
  const click = signClick({ emailId: email.id, url: `https://a.example/${"a".repeat(40)}` });
  for (const wrong of [`${token}A`, token.slice(0, -4), click])
    expect(await web.ask(`/t/u/${wrong}`, {}, "POST")).toMatchObject({ status: 404 });
  expect(await web.ask(linkOf(email), {}, "DELETE")).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD, POST" },
  });
  expect(await suppressionsOf(email)).toEqual([]);
});
