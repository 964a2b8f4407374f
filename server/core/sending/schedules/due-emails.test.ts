import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import {
  admins,
  apiKeys,
  dkimKeys,
  domains,
  emailEvents,
  emails,
  outbox,
  sendingSeconds,
  sendingTotals,
} from "#drizzle/schema/index.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { db } from "#server/db/pool.ts";
import { aSuppression } from "#server/testing/factories.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import {
  aScheduledEmail,
  aSchedulingCompany,
  changeCompany,
  scheduledEmails,
  type Scheduling,
  totalsOf,
} from "#server/testing/scheduled-emails.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import { processDueEmails } from "./due-emails.ts";

beforeEach(() => waitOutMidnight());

const [ann, bob] = ["ann@a.example", "bob@b.example"];
const DUE = { due: -1 };
const now = () => new Date().toISOString();
const none = { hour: 0, month: 0, scheduled: 0 };

let sender: Scheduling;

beforeEach(async () => {
  await db().delete(emails);
  await db().delete(sendingTotals);
  await db().delete(sendingSeconds);
  sender = await aSchedulingCompany();
});

async function stored(id: string) {
  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  return email!;
}

async function reasonsOf(id: string) {
  const events = await db()
    .select({ type: emailEvents.type, reason: emailEvents.reason })
    .from(emailEvents)
    .where(and(eq(emailEvents.emailId, id), isNotNull(emailEvents.reason)));
  return events;
}

const queueOf = async (id: string) =>
  (await db().select().from(outbox).where(eq(outbox.emailId, id))).map((row) => row.recipient);

const inOrder = () =>
  auditLedger(db()).then((ledger) => expect(ledger).toMatchObject({ unaccounted: 0 }));

describe("a scheduled email that is due", () => {
  test("is added to the outbox, one row per address", async () => {
    const id = await aScheduledEmail(sender, [ann, bob], DUE);
    await db()
      .update(emails)
      .set({ cc: ["cay@c.example"], bcc: [ann] })
      .where(eq(emails.id, id));

    expect(await processDueEmails(db())).toMatchObject({ sent: 1, ended: 0, waiting: 0 });

    expect(await stored(id)).toMatchObject({
      messageId: `<${id}@${sender.domain.name}>`,
      sentAt: expect.any(String) as string,
      lastEvent: "sent",
      dueAt: null,
      eventTypes: eventBits(["scheduled", "sent"]),
    });
    expect(await historyOf(id)).toEqual(["scheduled", "sent"]);
    expect((await queueOf(id)).sort()).toEqual([ann, bob, "cay@c.example"]);
    const [row] = await db().select().from(outbox).where(eq(outbox.recipient, bob));
    const { companyId } = await stored(id);
    expect(row).toMatchObject({
      companyId,
      destination: "b.example",
      attempt: 0,
      leaseUntil: null,
    });
    await inOrder();
  });

  test("keeps its scheduled time", async () => {
    const id = await aScheduledEmail(sender, [ann], DUE);
    const { scheduledAt } = await stored(id);

    await processDueEmails(db());

    expect(await stored(id)).toMatchObject({ scheduledAt });
  });

  test("then counts toward the hour and no longer toward the backlog; the month stays the same", async () => {
    await aScheduledEmail(sender, [ann, bob], DUE);
    await aScheduledEmail(sender, [ann]);
    expect(await totalsOf(sender.companyId)).toEqual({ hour: 0, month: 3, scheduled: 3 });

    await processDueEmails(db());

    expect(await totalsOf(sender.companyId)).toEqual({ hour: 2, month: 3, scheduled: 1 });
  });

  test("uses its domain's tracking settings at the time of sending", async () => {
    const id = await aScheduledEmail(sender, [ann], DUE);
    await db()
      .update(domains)
      .set({ openTracking: true, clickTracking: true })
      .where(eq(domains.id, sender.domain.id));

    await processDueEmails(db());

    expect(await stored(id)).toMatchObject({ openTracking: true, clickTracking: true });
  });

  test("is not sent before its time", async () => {
    const id = await aScheduledEmail(sender, [ann], { due: 60 });

    expect(await processDueEmails(db())).toMatchObject({ sent: 0, isFull: false });

    expect(await stored(id)).toMatchObject({ lastEvent: "scheduled", messageId: null });
    await inOrder();
  });

  test("is sent even if the subscription has ended since", async () => {
    const id = await aScheduledEmail(sender, [ann], DUE);
    await changeCompany(sender.companyId, { subscriptionActive: false });

    await processDueEmails(db());

    expect(await stored(id)).toMatchObject({ lastEvent: "sent" });
  });

  test("is sent even if an invoice is overdue", async () => {
    const id = await aScheduledEmail(sender, [ann], DUE);
    await changeCompany(sender.companyId, {
      overdueInvoice: { number: "1", paymentUrl: "https://pay.example" },
    });

    await processDueEmails(db());

    expect(await stored(id)).toMatchObject({ lastEvent: "sent" });
  });
});

/** What happens before the email is due, and how the email ends. */
const ends: Record<string, [type: "canceled" | "failed", happens: () => Promise<unknown>]> = {
  "its key's creator is disabled": [
    "canceled",
    () => db().update(admins).set({ disabledAt: now() }).where(eq(admins.id, sender.key.creatorId)),
  ],
  "its key's creator is gone": [
    "canceled",
    () => db().delete(admins).where(eq(admins.id, sender.key.creatorId)),
  ],
  "its key is revoked and it was overlooked then": [
    "canceled",
    () => db().update(apiKeys).set({ revokedAt: now() }).where(eq(apiKeys.id, sender.key.id)),
  ],
  "the service is switched off": [
    "failed",
    () => changeCompany(sender.companyId, { serviceEnabled: false }),
  ],
  "the company is suspended": [
    "failed",
    () => changeCompany(sender.companyId, { suspendedAt: now() }),
  ],
  "its domain is partially verified": ["failed", () => setDomain({ status: "partially_verified" })],
  "its domain is pending again": ["failed", () => setDomain({ status: "pending" })],
  "its domain is no longer proven": ["failed", () => setDomain({ ownershipProvenAt: null })],
  "its domain has lost its DKIM key": [
    "failed",
    () => db().delete(dkimKeys).where(eq(dkimKeys.domainId, sender.domain.id)),
  ],
  "its domain is deleted": [
    "failed",
    () => db().delete(domains).where(eq(domains.id, sender.domain.id)),
  ],
  "its domain is deleted, and its key with it": [
    "failed",
    async () => {
      const restricted = { permission: "sending_access", domainId: sender.domain.id } as const;
      await db().update(apiKeys).set(restricted).where(eq(apiKeys.id, sender.key.id));
      await db().delete(domains).where(eq(domains.id, sender.domain.id));
    },
  ],
};

const setDomain = (change: Partial<typeof domains.$inferInsert>) =>
  db().update(domains).set(change).where(eq(domains.id, sender.domain.id));

test.each(Object.entries(ends))(
  "ends with a reason, unsent and uncounted, if %s",
  async (_, [type, happens]) => {
    const id = await aScheduledEmail(sender, [ann, bob], DUE);
    await happens();

    expect(await processDueEmails(db())).toMatchObject({ ended: 1, sent: 0 });

    expect(await stored(id)).toMatchObject({
      lastEvent: type,
      messageId: null,
      sentAt: null,
      dueAt: null,
      eventTypes: eventBits(["scheduled", type]),
    });
    expect(await historyOf(id)).toEqual(["scheduled", type]);
    expect(await reasonsOf(id)).toEqual([
      { type, reason: expect.stringMatching(/.{10}/) as string },
    ]);
    expect(await queueOf(id)).toEqual([]);
    expect(await totalsOf(sender.companyId)).toEqual(none);
    expect(await auditLedger(db())).toMatchObject({ [type]: 2, unaccounted: 0 });
  },
);

test("is canceled rather than failed if both the admin and the service are gone", async () => {
  const id = await aScheduledEmail(sender, [ann], DUE);
  await ends["its key's creator is disabled"]![1]();
  await ends["the service is switched off"]![1]();

  await processDueEmails(db());

  expect(await stored(id)).toMatchObject({ lastEvent: "canceled" });
});

test("of a past month refunds nothing to this month", async () => {
  await aScheduledEmail(sender, [ann], { ...DUE });
  await aScheduledEmail(sender, [ann, bob], {
    ...DUE,
    createdAt: new Date("2026-01-31T23:59:59Z"),
  });
  await changeCompany(sender.companyId, { serviceEnabled: false });
  const { month } = await totalsOf(sender.companyId);

  await processDueEmails(db());

  expect(await totalsOf(sender.companyId)).toEqual({ ...none, month: month - 1 });
});

describe("the suppression list", () => {
  test("is checked when the email is sent: skipped recipients get an event", async () => {
    const id = await aScheduledEmail(sender, [ann, bob], DUE);
    await aSuppression(sender.companyId, { email: ann, origin: "complaint" });

    await processDueEmails(db());

    expect(await historyOf(id)).toEqual(["scheduled", `suppressed ${ann}`, "sent"]);
    expect(await queueOf(id)).toEqual([bob]);
    expect(await stored(id)).toMatchObject({
      lastEvent: "sent",
      eventTypes: eventBits(["scheduled", "suppressed", "sent"]),
    });
    expect(await totalsOf(sender.companyId)).toEqual({ hour: 2, month: 2, scheduled: 0 });
    expect(await auditLedger(db())).toMatchObject({ suppressed: 1, queued: 1, unaccounted: 0 });
  });

  test("ends an email without remaining recipients as suppressed, with its quotas refunded", async () => {
    const id = await aScheduledEmail(sender, [ann, bob], DUE);
    for (const email of [ann, bob]) await aSuppression(sender.companyId, { email });

    expect(await processDueEmails(db())).toMatchObject({ suppressed: 1, sent: 0 });

    expect(await stored(id)).toMatchObject({
      lastEvent: "suppressed",
      messageId: null,
      sentAt: null,
      dueAt: null,
    });
    expect(await totalsOf(sender.companyId)).toEqual(none);
    expect(await auditLedger(db())).toMatchObject({ suppressed: 2, unaccounted: 0 });
  });

  test("of another company changes nothing", async () => {
    const id = await aScheduledEmail(sender, [ann], DUE);
    const other = await aSchedulingCompany();
    await aSuppression(other.companyId, { email: ann });
    const others = await aScheduledEmail(other, [ann], DUE);

    await processDueEmails(db());

    expect(await queueOf(id)).toEqual([ann]);
    expect(await queueOf(others)).toEqual([]);
  });
});

describe("many due emails", () => {
  test("are settled in batches, longest waiting first", async () => {
    const recipients = Array.from({ length: 130 }, (_, i) => [`r${i}@a.example`]);
    const late = await scheduledEmails(sender, recipients, { due: -1 });
    const first = await aScheduledEmail(sender, [ann], { due: -60 });

    const settled = await processDueEmails(db());

    expect(settled).toMatchObject({ sent: 100, isFull: true });
    expect(await stored(first)).toMatchObject({ lastEvent: "sent" });
    const left = await db().$count(emails, and(inArray(emails.id, late), isNotNull(emails.dueAt)));
    expect(left).toBe(31);
    expect(await processDueEmails(db())).toMatchObject({ sent: 31, isFull: false });
    await inOrder();
  });

  test("of several companies follow their own company's rules", async () => {
    const [other, off] = [await aSchedulingCompany(), await aSchedulingCompany()];
    await changeCompany(off.companyId, { serviceEnabled: false });
    const ids = await Promise.all(
      [sender, other, off].map((company) => aScheduledEmail(company, [ann], DUE)),
    );

    await processDueEmails(db());

    const states = await Promise.all(ids.map(async (id) => (await stored(id)).lastEvent));
    expect(states).toEqual(["sent", "sent", "failed"]);
    for (const { companyId } of [sender, other])
      expect(await totalsOf(companyId)).toEqual({ hour: 1, month: 1, scheduled: 0 });
    expect(await totalsOf(off.companyId)).toEqual(none);
  });
});
