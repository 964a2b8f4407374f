import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { emails, suppressions, webhookEvents } from "#drizzle/schema/index.ts";
import { eventBit } from "#server/core/sending/events/email-events.ts";
import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aDeliveredEmail } from "#server/testing/delivered-emails.ts";
import { aSuppression, aWebhook } from "#server/testing/factories.ts";
import { anArfReport } from "#server/testing/feedback.ts";
import { aSender, historyOf } from "#server/testing/queued-emails.ts";

import { recordComplaint } from "./record-complaint.ts";

const HOST = "mail.here.test";
const take = async (message: Buffer, emailId?: string, isVerified = true) => {
  const to = emailId ? { kind: "email" as const, emailId } : { kind: "reports" as const };
  return (await handleIncoming(db(), to, message, () => Promise.resolve(isVerified))).kind;
};
const hasComplained = async (id: string) => {
  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  return (email!.eventTypes & eventBit("complained")) !== 0;
};
const suppressionsOf = (companyId: string) =>
  db().select().from(suppressions).where(eq(suppressions.companyId, companyId));
const publishedTo = async (webhookId: string) =>
  (await db().select().from(webhookEvents).where(eq(webhookEvents.webhookId, webhookId))).map(
    ({ type, payload }) => ({ type, to: payload.data.to }),
  );

test("a complaint is counted, published to webhooks, and suppresses the address", async () => {
  const sender = await aSender();
  const webhook = await aWebhook(sender.companyId);
  await aWebhook(sender.companyId, { events: ["email.bounced"] });
  const id = await aDeliveredEmail(sender, "ann@there.test");
  const history = await historyOf(id);

  const mailFrom = envelopeSender(id, HOST);
  expect(await take(anArfReport({ mailFrom }))).toBe("complaint");

  expect(await hasComplained(id)).toBe(true);
  expect(await historyOf(id)).toEqual(history);
  expect(await suppressionsOf(sender.companyId)).toMatchObject([
    { email: "ann@there.test", origin: "complaint", sourceId: id },
  ]);
  const told = await db().select().from(webhookEvents);
  expect(told.filter(({ companyId }) => companyId === sender.companyId)).toMatchObject([
    {
      webhookId: webhook.id,
      type: "email.complained",
      payload: {
        type: "email.complained",
        data: {
          email_id: id,
          to: ["ann@there.test"],
          subject: `Greetings ${id}`,
          tags: {},
          from: `Post House <post@${sender.name}>`,
          message_id: `<${id}@${sender.name}>`,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string,
        },
      },
    },
  ]);
});

test("records a complaint once per email and recipient, also concurrently", async () => {
  const sender = await aSender();
  const webhook = await aWebhook(sender.companyId);
  const id = await aDeliveredEmail(sender, "ann@there.test");
  const complaint = { senders: [envelopeSender(id, HOST)], recipients: [] };
  let taking: Promise<string>[] = [];
  await db().transaction(async (tx) => {
    await tx.select().from(emails).where(eq(emails.id, id)).for("update");
    taking = Array.from({ length: 4 }, () =>
      recordComplaint(db(), null, complaint, { isVerified: true }),
    );
    await untilBlocked(4);
  });
  const taken = await Promise.all(taking);
  expect(taken.filter((as) => as === "complaint")).toHaveLength(1);
  expect(await publishedTo(webhook.id)).toEqual([
    { type: "email.complained", to: ["ann@there.test"] },
  ]);
});

test.each([
  [true, ["bob@there.test"]],
  [false, []],
])(
  "counts a complaint of one of several recipients once, and suppresses none (verified: %s)",
  async (isVerified, told) => {
    const sender = await aSender();
    const webhook = await aWebhook(sender.companyId);
    const id = await aDeliveredEmail(sender, "ann@there.test", "bob@there.test");
    const from = (rcptTo?: string) =>
      take(anArfReport({ mailFrom: envelopeSender(id, HOST), rcptTo }), undefined, isVerified);

    expect(await from("Bob@there.test")).toBe("complaint");
    expect(await hasComplained(id)).toBe(true);
    expect(await from("ann@there.test")).toBe("nothing");
    expect(await from()).toBe("nothing");
    expect(await publishedTo(webhook.id)).toEqual([{ type: "email.complained", to: told }]);
    expect(await suppressionsOf(sender.companyId)).toEqual([]);
  },
);

test("a complaint of an unverified reporter is counted, and suppresses the address once one is verified", async () => {
  const sender = await aSender();
  const webhook = await aWebhook(sender.companyId);
  const id = await aDeliveredEmail(sender, "ann@there.test");
  const report = anArfReport({ mailFrom: envelopeSender(id, HOST) });
  expect(await take(report, undefined, false)).toBe("complaint");
  expect(await hasComplained(id)).toBe(true);
  expect(await suppressionsOf(sender.companyId)).toEqual([]);
  expect(await take(report)).toBe("complaint");
  expect(await take(report)).toBe("nothing");
  expect(await suppressionsOf(sender.companyId)).toMatchObject([{ email: "ann@there.test" }]);
  expect(await publishedTo(webhook.id)).toEqual([
    { type: "email.complained", to: ["ann@there.test"] },
  ]);
});

test("a complaint replaces the reason of an existing suppression and keeps its id", async () => {
  const sender = await aSender();
  await aSuppression(sender.companyId, { email: "ann@there.test", origin: "manual" });
  const [before] = await suppressionsOf(sender.companyId);
  const id = await aDeliveredEmail(sender, "ann@there.test");
  await take(anArfReport({ mailFrom: envelopeSender(id, HOST) }));
  expect(await suppressionsOf(sender.companyId)).toMatchObject([
    { id: before!.id, origin: "complaint", sourceId: id, createdAt: before!.createdAt },
  ]);
});

test("a complaint to the email's own address needn't name the email", async () => {
  const id = await aDeliveredEmail(await aSender(), "ann@there.test");
  expect(await take(anArfReport({}), id)).toBe("complaint");
  expect(await hasComplained(id)).toBe(true);
});

test("ignores complaints that name the email only by id, and not-spam reports", async () => {
  const id = await aDeliveredEmail(await aSender(), "ann@there.test");
  const genuine = envelopeSender(id, HOST);
  const forged = envelopeSender(randomUUID(), HOST).replace(
    /\+.{32}/,
    `+${id.replaceAll("-", "")}`,
  );
  for (const message of [
    anArfReport({ mailFrom: forged, returnPath: forged }),
    anArfReport({}),
    anArfReport({ mailFrom: genuine, type: "not-spam" }),
    anArfReport({ mailFrom: genuine, type: "auth-failure" }),
  ])
    expect(await take(message)).toBe("nothing");
  expect(await hasComplained(id)).toBe(false);
});
