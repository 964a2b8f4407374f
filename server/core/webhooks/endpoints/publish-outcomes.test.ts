import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

import { emails, outbox, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { leaseDueEmails } from "#server/core/sending/outbox/email-leases.ts";
import { recordOutcomes, type LeaseOutcome } from "#server/core/sending/outbox/record-outcomes.ts";
import { recordVisit } from "#server/core/sending/tracking/visits.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { historyOf, queuedEmails } from "#server/testing/queued-emails.ts";
import { aTrackedEmail } from "#server/testing/tracking-server.ts";
import { isoOf, type Listeners, webhookListeners } from "#server/testing/webhook-listeners.ts";

let email: Awaited<ReturnType<typeof aTrackedEmail>>;
let listeners: Listeners;

beforeEach(async () => {
  await db().delete(outbox);
  email = await aTrackedEmail({ tags: [{ name: "kind", value: "receipt" }] });
  listeners = await webhookListeners(email.sender.companyId);
});

type Result = Partial<LeaseOutcome> & { result: LeaseOutcome["result"] };

/** Gives every recipient in the outbox the same outcome. */
async function deliver(result: Result) {
  const owner = randomUUID();
  const leased = await leaseDueEmails(db(), {
    owner,
    limit: 500,
    room: { light: 1e6, heavy: 1e6 },
  });
  const outcomes = leased.flatMap((email) =>
    email.recipients.map(
      ({ rowId, recipient, attempt }) =>
        ({
          rowId,
          emailId: email.id,
          recipient,
          attempt,
          dsn: "2.0.0",
          message: "",
          suppress: false,
          ...result,
        }) as LeaseOutcome,
    ),
  );
  expect(await recordOutcomes(db(), owner, outcomes)).toHaveLength(outcomes.length);
  return outcomes;
}

async function common(more: object = {}) {
  const [row] = await db().select().from(emails).where(eq(emails.id, email.id));
  const { id, createdAt, from, to, subject, messageId } = row!;
  return {
    created_at: isoOf(createdAt),
    email_id: id,
    from,
    to,
    subject,
    tags: { kind: "receipt" },
    message_id: messageId,
    ...more,
  };
}

async function told() {
  expect(await listeners.overheard()).toEqual([]);
  return (await listeners.heard()).map(({ payload: { type, data } }) => ({ type, data }));
}

const readdressed = (to: string[]) =>
  db().update(emails).set({ to }).where(eq(emails.id, email.id));

describe("an outcome event names its recipient", () => {
  beforeEach(() => readdressed(["ann@example.org", "bob@example.org"]));

  test("delivered", async () => {
    await deliver({ result: "delivered", message: "250 OK" });
    const data = await common({ to: ["ann@example.org"] });
    expect(await told()).toEqual([{ type: "email.delivered", data }]);
  });

  test.each([
    ["delivery_delayed", "delayed", "Temporary", "451 4.3.0 Try later"],
    ["delivery_delayed", "delayed", "Temporary", ""],
    ["bounced", "bounced", "Permanent", "550 5.1.1 No such user"],
    ["bounced", "bounced", "Permanent", ""],
  ] as const)("%s, with the server's reply", async (type, result, bounceType, message) => {
    await deliver({ result, message });
    const bounce = { type: bounceType, subType: "General", message };
    const data = await common({ to: ["ann@example.org"], bounce });
    expect(await told()).toEqual([{ type: `email.${type}`, data }]);
  });

  test("bounced, if retries ended", async () => {
    await db()
      .update(outbox)
      .set({ createdAt: sql`clock_timestamp() - interval '49 hours'` });
    await deliver({ result: "delayed", message: "451 4.3.0 Try later" });

    const bounce = { type: "Permanent", subType: "General", message: "451 4.3.0 Try later" };
    const data = await common({ to: ["ann@example.org"], bounce });
    expect(await told()).toEqual([{ type: "email.bounced", data }]);
  });

  const failed = { result: "failed", reason: "The message could not be composed" } as const;

  test("failed, with the failed recipient, if others still get the email", async () => {
    await deliver(failed);
    const data = await common({ to: ["ann@example.org"], failed: { reason: failed.reason } });
    expect(await told()).toEqual([{ type: "email.failed", data }]);
  });

  test("failed, with all recipients, if the whole email failed", async () => {
    await deliver({ ...failed, isWhole: true });
    const data = await common({ failed: { reason: failed.reason } });
    expect(data.to).toEqual(["ann@example.org", "bob@example.org"]);
    expect(await told()).toEqual([{ type: "email.failed", data }]);
  });
});

test("publishes one event per recipient", async () => {
  await db().delete(outbox);
  await queuedEmails(email.sender, [["a@a.example", "b@a.example"], ["c@c.example"]]);
  await deliver({ result: "delivered" });

  const recipients = (await told()).map(({ data }) => data.to);
  expect(recipients.sort()).toEqual([["a@a.example"], ["b@a.example"], ["c@c.example"]]);
});

test("publishes nothing when the same outcomes are recorded again", async () => {
  const outcomes = await deliver({ result: "delivered" });
  await recordOutcomes(db(), randomUUID(), outcomes);
  expect(await told()).toHaveLength(1);
});

describe("a visit", () => {
  const visitor = { ipAddress: "192.0.2.1", userAgent: "Mozilla/5.0" };
  const at = async () => isoOf((await listeners.heard())[0]!.createdAt);

  test("of an open includes the IP address and user agent", async () => {
    await recordVisit(db(), { emailId: email.id, type: "opened", link: null, ...visitor });
    const open = { ...visitor, timestamp: await at() };
    expect(await told()).toEqual([{ type: "email.opened", data: await common({ open }) }]);
  });

  test("of a click includes the link", async () => {
    const link = 'https://a.example/?q="ü"&r=\\';
    await recordVisit(db(), { emailId: email.id, type: "clicked", link, ...visitor });
    const click = { ...visitor, link, timestamp: await at() };
    expect(await told()).toEqual([{ type: "email.clicked", data: await common({ click }) }]);
  });

  test("without a user agent has an empty one", async () => {
    const visit = { emailId: email.id, ipAddress: "192.0.2.1", userAgent: null };
    await recordVisit(db(), { ...visit, type: "opened", link: null });
    expect((await told())[0]!.data.open).toMatchObject({ userAgent: "" });
  });

  test("that does not count publishes no event", async () => {
    const visit = { emailId: email.id, type: "opened", link: null, ...visitor } as const;
    await Promise.all([1, 2, 3].map(() => recordVisit(db(), visit)));
    expect(await told()).toHaveLength(1);
  });
});

test("publishes text with any characters", async () => {
  const text = fc
    .string({ unit: "grapheme", maxLength: 60 })
    .map((text) => `${text.replace(/[\p{Cc}\p{Cs}]/gu, "")}"\\'$1%s`);
  await fc.assert(
    fc.asyncProperty(text, text, async (message, userAgent) => {
      await db().delete(outbox);
      email = await aTrackedEmail({ tags: [{ name: "kind", value: "receipt" }] });
      listeners = await webhookListeners(email.sender.companyId);
      await deliver({ result: "bounced", message });
      const visit = { emailId: email.id, ipAddress: "2001:db8::1", userAgent };
      await recordVisit(db(), { ...visit, type: "opened", link: null });

      expect(await told()).toMatchObject([
        { type: "email.bounced", data: { bounce: { message } } },
        { type: "email.opened", data: { open: { userAgent, ipAddress: "2001:db8::1" } } },
      ]);
    }),
    { numRuns: 15 },
  );
});

describe("while a webhook is being changed", () => {
  /** Records an open while another transaction locks the webhook and then applies `change`. */
  async function openWhile(change: (id: string) => ReturnType<typeof sql>) {
    const { id } = listeners.all;
    let recording = Promise.resolve();
    await db().transaction(async (tx) => {
      await tx.select().from(webhooks).where(eq(webhooks.id, id)).for("update");
      const visit = { emailId: email.id, ipAddress: "192.0.2.1", userAgent: null };
      recording = recordVisit(db(), { ...visit, type: "opened", link: null });
      await untilBlocked();
      await tx.execute(change(id));
    });
    await recording;
    expect(await historyOf(email.id)).toContain("opened");
    return db().$count(webhookEvents, eq(webhookEvents.webhookId, id));
  }

  test.each([
    ["deleted", (id: string) => sql`delete from webhooks where id = ${id}`, 0],
    ["disabled", (id: string) => sql`update webhooks set status = 'disabled' where id = ${id}`, 0],
    ["failing", (id: string) => sql`update webhooks set failures = 1 where id = ${id}`, 1],
  ])("%s, the event is still added to the history", async (_, change, recorded) => {
    expect(await openWhile(change)).toBe(recorded);
  });
});
