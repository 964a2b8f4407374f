import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { emailEvents, emails, outbox, suppressions, webhookEvents } from "#drizzle/schema/index.ts";
import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db } from "#server/db/pool.ts";
import { aDeliveredEmail } from "#server/testing/delivered-emails.ts";
import { aSuppression, aWebhook } from "#server/testing/factories.ts";
import { aDsn } from "#server/testing/feedback.ts";
import { aQueuedEmail, aSender, historyOf } from "#server/testing/queued-emails.ts";

import { recordBounce } from "./record-bounce.ts";

const take = async (emailId: string, message: Buffer) =>
  (await handleIncoming(db(), { kind: "email", emailId }, message, () => Promise.resolve(true)))
    .kind;
const suppressionsOf = (companyId: string) =>
  db().select().from(suppressions).where(eq(suppressions.companyId, companyId));
const emailOf = async (id: string) =>
  (await db().select().from(emails).where(eq(emails.id, id)))[0]!;

test("a late bounce is recorded, published to webhooks, and suppresses the address", async () => {
  const sender = await aSender();
  const webhook = await aWebhook(sender.companyId);
  const id = await aDeliveredEmail(sender, "ann@there.test");

  expect(await take(id, aDsn([{ recipient: "Ann@There.test" }]))).toBe("bounce");

  expect((await historyOf(id)).at(-1)).toBe("bounced ann@there.test");
  const [event] = await db().select().from(emailEvents).where(eq(emailEvents.type, "bounced"));
  expect(event).toMatchObject({ emailId: id, dsn: "5.1.1", message: "550 User unknown" });
  const email = await emailOf(id);
  expect(email.lastEvent).toBe("bounced");
  expect(email.eventTypes & eventBit("bounced")).not.toBe(0);
  expect(await suppressionsOf(sender.companyId)).toMatchObject([
    { email: "ann@there.test", origin: "bounce", sourceId: id },
  ]);
  const [told] = await db()
    .select()
    .from(webhookEvents)
    .where(eq(webhookEvents.webhookId, webhook.id));
  expect(told).toMatchObject({
    type: "email.bounced",
    payload: {
      data: {
        ...{ email_id: id, to: ["ann@there.test"] },
        bounce: { type: "Permanent", message: "550 User unknown" },
      },
    },
  });
  expect((await auditLedger(db())).unaccounted).toBe(0);
});

test("records a bounce once per recipient, also concurrently", async () => {
  const sender = await aSender();
  const id = await aDeliveredEmail(sender, "ann@there.test", "bob@there.test");
  const failures = ["ann@there.test", "bob@there.test"].map((address) => ({
    ...{ addresses: [address], dsn: "5.1.1", message: "User unknown" },
  }));
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      recordBounce(db(), id, { failures: failures.slice(0, 1 + (at % 2)), trace: [] }),
    ),
  );
  expect(taken.filter((as) => as === "bounce").length).toBeLessThanOrEqual(2);
  expect((await historyOf(id)).filter((entry) => entry.startsWith("bounced"))).toHaveLength(2);
  // Each recipient knows the envelope sender, so one could forge the bounce of the other.
  expect(await suppressionsOf(sender.companyId)).toEqual([]);
});

test("ignores other addresses and recipients that had no delivery", async () => {
  const id = await aDeliveredEmail(await aSender(), "ann@there.test", "bob@over.test");
  const before = await historyOf(id);
  expect(await take(id, aDsn([{ recipient: "eve@elsewhere.test" }]))).toBe("nothing");
  expect(await take(randomUUID(), aDsn([{ recipient: "ann@there.test" }]))).toBe("nothing");
  await db()
    .update(emailEvents)
    .set({ type: "suppressed" })
    .where(eq(emailEvents.recipient, "ann@there.test"));
  expect(await take(id, aDsn([{ recipient: "ann@there.test" }]))).toBe("nothing");
  expect(await historyOf(id)).toHaveLength(before.length);
});

test.each([
  ["a delay", aDsn([{ recipient: "ann@there.test", action: "delayed", status: "4.4.1" }])],
  ["a success", aDsn([{ recipient: "ann@there.test", action: "delivered", status: "2.0.0" }])],
  [
    "an auto-reply",
    Buffer.from("Subject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nHi"),
  ],
])("%s changes nothing", async (_, message) => {
  const id = await aDeliveredEmail(await aSender(), "ann@there.test");
  expect(await take(id, message)).toBe("nothing");
  expect((await emailOf(id)).lastEvent).toBe("delivered");
});

// The bounce can be about one member of an alias, or another address of the same domain.
test.each([
  ["the only recipient forwards to", ["ann@there.test"], []],
  ["the returned header leads to", ["ann@there.test", "bob@there.test"], ["Ann@There.test"]],
  ["is at the domain of one recipient", ["ann@there.test", "bob@over.test"], []],
])(
  "a bounce naming an address that %s is recorded without a suppression",
  async (_, recipients, deliveredTo) => {
    const sender = await aSender();
    const id = await aDeliveredEmail(sender, ...recipients);
    const named = recipients.length > 1 && deliveredTo.length === 0 ? "x@there.test" : "x@new.test";
    expect(await take(id, aDsn([{ recipient: named }], { deliveredTo }))).toBe("bounce");
    expect((await historyOf(id)).at(-1)).toBe("bounced ann@there.test");
    expect(await suppressionsOf(sender.companyId)).toEqual([]);
  },
);

test("a failure is permanent whatever its code, but a soft code doesn't suppress the address", async () => {
  const sender = await aSender();
  const id = await aDeliveredEmail(sender, "ann@there.test");
  const diagnostic = "smtp; 452 4.2.2 The mailbox of this user is full";
  const message = aDsn([{ recipient: "ann@there.test", status: "4.4.7", diagnostic }]);
  expect(await take(id, message)).toBe("bounce");
  expect((await emailOf(id)).lastEvent).toBe("bounced");
  const events = await db().select().from(emailEvents).where(eq(emailEvents.emailId, id));
  expect(events.at(-1)).toMatchObject({ type: "bounced", dsn: "4.4.7" });
  expect(await suppressionsOf(sender.companyId)).toEqual([]);
});

test("a bounce about the message or this server doesn't suppress the address", async () => {
  const sender = await aSender();
  const id = await aDeliveredEmail(sender, "ann@there.test");
  const diagnostic = "smtp; 550 5.7.1 Message rejected as spam by content filter";
  const message = aDsn([{ recipient: "ann@there.test", status: "5.7.1", diagnostic }]);
  expect(await take(id, message)).toBe("bounce");
  expect(await suppressionsOf(sender.companyId)).toEqual([]);
});

test("a bounce without a clear reason doesn't suppress the address", async () => {
  const sender = await aSender();
  const id = await aDeliveredEmail(sender, "ann@there.test");
  const diagnostic = "smtp; 554 Transaction failed";
  const message = aDsn([{ recipient: "ann@there.test", status: "5.0.0", diagnostic }]);
  expect(await take(id, message)).toBe("bounce");
  expect(await suppressionsOf(sender.companyId)).toEqual([]);
});

test("keeps the reason of an existing suppression", async () => {
  const sender = await aSender();
  await aSuppression(sender.companyId, { email: "ann@there.test", origin: "manual" });
  const id = await aDeliveredEmail(sender, "ann@there.test");
  expect(await take(id, aDsn([{ recipient: "ann@there.test" }]))).toBe("bounce");
  expect(await suppressionsOf(sender.companyId)).toMatchObject([{ origin: "manual" }]);
});

test("defers a bounce that arrives before its delivery is recorded", async () => {
  const id = await aQueuedEmail(await aSender(), "ann@there.test");
  expect(await take(id, aDsn([{ recipient: "ann@there.test" }]))).toBe("too_early");
  expect(await historyOf(id)).toEqual(["sent"]);
  await db().delete(outbox).where(eq(outbox.emailId, id));
});

test("ignores bounces at the reports address", async () => {
  const id = await aDeliveredEmail(await aSender(), "ann@there.test");
  const dsn = aDsn([{ recipient: "ann@there.test" }]);
  expect(
    (await handleIncoming(db(), { kind: "reports" }, dsn, () => Promise.resolve(true))).kind,
  ).toBe("nothing");
  expect((await emailOf(id)).lastEvent).toBe("delivered");
});
