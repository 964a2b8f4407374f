import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import {
  emailEvents,
  emails,
  messages,
  outbox,
  suppressions,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { eventBit } from "#server/core/sending/events/email-events.ts";
import { db } from "#server/db/pool.ts";
import { aDeliveredEmail } from "#server/testing/delivered-emails.ts";
import { aSuppression, aWebhook } from "#server/testing/factories.ts";
import { aDsn } from "#server/testing/feedback.ts";
import {
  aLeasedMessage,
  ANN,
  type LeasedMessage,
  recipientsOf,
  reports,
  theReport,
} from "#server/testing/leased-messages.ts";
import { aQueuedEmail, aSender, historyOf } from "#server/testing/queued-emails.ts";

import { findBounced, recordBounce } from "./bounces.ts";

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
        email_id: id,
        to: ["ann@there.test"],
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
    addresses: [address],
    dsn: "5.1.1",
    message: "User unknown",
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

beforeEach(async () => {
  await db().delete(messages);
});

const takeMessageBounce = async (id: string, message: Buffer) =>
  (await handleIncoming(db(), { kind: "email", emailId: id }, message, () => Promise.resolve(true)))
    .kind;

async function aDelivered(given: LeasedMessage) {
  const { id, record } = await aLeasedMessage({ origin: "forward", ...given });
  await record(...given.to.map(() => ({})));
  return id;
}

const statesOf = async (id: string) => (await recipientsOf(id)).map(({ state }) => state);

test("a late bounce of a forward is returned to the mailbox once", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });
  const bounce = aDsn([{ recipient: "Bob@There.test" }]);

  const taken = await Promise.all([takeMessageBounce(id, bounce), takeMessageBounce(id, bounce)]);
  expect(taken.toSorted()).toEqual(["bounce", "nothing"]);
  expect(await recipientsOf(id)).toMatchObject([
    { state: "bounced", dsn: "5.1.1", reply: "550 User unknown" },
  ]);
  const { recipient, text, status } = await theReport();
  expect(recipient).toBe(ANN);
  expect(text).toContain("A message forwarded from your mailbox could not be delivered");
  expect(status).toContain("Final-Recipient: rfc822; bob@there.test\r\nAction: failed\r\n");
});

test("a late bounce of mail sent as a group goes to the mailbox that sent it", async () => {
  const sent = { origin: "submission", sender: "team@example.com", mailbox: ANN } as const;
  const to = ["bob@there.test"];
  const id = await aDelivered({ ...sent, groupAddress: "team@example.com", to });

  expect(await takeMessageBounce(id, aDsn([{ recipient: "bob@there.test" }]))).toBe("bounce");
  expect((await theReport()).recipient).toBe(ANN);
});

test("a bounce with an unknown address is attributed to the only recipient", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });

  expect(await takeMessageBounce(id, aDsn([{ recipient: "carl@elsewhere.test" }]))).toBe("bounce");
  expect(await statesOf(id)).toEqual(["bounced"]);
});

test("a bounce with a temporary status returns the forward too", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });

  expect(
    await takeMessageBounce(id, aDsn([{ recipient: "bob@there.test", status: "4.4.7" }])),
  ).toBe("bounce");
  const { status, recipient } = await theReport();
  expect(recipient).toBe(ANN);
  expect(status).toContain("Action: failed\r\nStatus: 5.4.7\r\n");
});

test("only named recipients of a group's copy bounce, without a message to the sender", async () => {
  const given = { origin: "group", isSenderTold: false } as const;
  const id = await aDelivered({ ...given, to: ["bob@there.test", "eve@there.test"] });

  expect(await takeMessageBounce(id, aDsn([{ recipient: "carl@elsewhere.test" }]))).toBe("nothing");
  expect(await takeMessageBounce(id, aDsn([{ recipient: "eve@there.test" }]))).toBe("bounce");
  expect(await statesOf(id)).toEqual(["delivered", "bounced"]);
  expect(await reports()).toEqual([]);
});

test("defers a bounce that arrives before its delivery is recorded", async () => {
  const { id, record } = await aLeasedMessage({ origin: "forward", to: ["bob@there.test"] });
  const bounce = aDsn([{ recipient: "bob@there.test" }]);

  expect(await takeMessageBounce(id, bounce)).toBe("too_early");
  await record({});
  expect(await takeMessageBounce(id, bounce)).toBe("bounce");
});

test("ignores replies, delay notices and bounces of unknown messages", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });
  const answer = Buffer.from("Subject: I am away\r\nAuto-Submitted: auto-replied\r\n\r\nBye\r\n");
  const delay = aDsn([{ recipient: "bob@there.test", action: "delayed", status: "4.2.1" }]);

  expect(await takeMessageBounce(id, answer)).toBe("nothing");
  expect(await takeMessageBounce(id, delay)).toBe("nothing");
  expect(
    await takeMessageBounce(crypto.randomUUID(), aDsn([{ recipient: "bob@there.test" }])),
  ).toBe("nothing");
  expect(await statesOf(id)).toEqual(["delivered"]);
  expect(await reports()).toEqual([]);
});

const failure = (...addresses: string[]) => ({ addresses, dsn: "5.1.1", message: "" });

test("matches a recipient ignoring the case of both local parts", () => {
  const recipients = ["Bob.Lee@there.test", "eve@there.test"];
  for (const named of ["bob.lee@there.test", "Bob.Lee@There.test"])
    expect(findBounced(recipients, failure(named), [])).toEqual({
      recipient: "Bob.Lee@there.test",
      isNamed: true,
    });
});

test("doesn't guess if several recipients match the trace or domain", () => {
  const recipients = ["ann@there.test", "bob@there.test", "eve@over.test"];
  const trace = ["ann@there.test", "bob@there.test"];
  expect(findBounced(recipients, failure("x@new.test"), trace)).toBeNull();
  expect(findBounced(recipients, failure("x@there.test"), [])).toBeNull();
  expect(findBounced(recipients, failure("x@over.test"), trace)).toEqual({
    recipient: "eve@over.test",
    isNamed: false,
  });
});
