import { eq, inArray, sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import {
  domains,
  emailEvents,
  emails,
  outbox,
  suppressions,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { composeSource } from "#server/core/sending/emails/preview-email.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { eventBit } from "#server/core/sending/events/email-events.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { aSendingCompany, send, type SendingCompany } from "#server/testing/console-emails.ts";
import { aContext, aSuppression, aWebhook } from "#server/testing/factories.ts";

// An email that is sent immediately and the same email scheduled and then released end up with the same rows,
// apart from ids, times and what scheduling itself adds.

const [ann, bob, cay] = ["ann@a.example", "bob@b.example", "cay@c.example"];
const named = (address: string, name = "") => ({ name, address });

type Fields = Omit<Partial<EmailInput>, "scheduledAt" | "source">;

let company: SendingCompany;
beforeAll(async () => {
  company = await aSendingCompany();
  await aWebhook(company.companyId);
  await suppress(ann, bob);
});

async function suppress(...addresses: string[]): Promise<void> {
  for (const email of addresses)
    await aSuppression(company.companyId, { email, origin: "complaint" });
}

/** @param beforeDue runs before the email is due */
async function sendScheduled(
  overrides: Fields,
  beforeDue: () => Promise<unknown> = async () => {},
): Promise<string> {
  const id = await send(company, { ...overrides, scheduledAt: new Date(Date.now() + 3_600_000) });
  await beforeDue();
  const due = sql`clock_timestamp() - interval '1 second'`;
  await db().update(emails).set({ dueAt: due }).where(eq(emails.id, id));
  await processDueEmails(db());
  return id;
}

/** Everything that was written for an email, with its id replaced and without times. */
async function writtenFor(id: string): Promise<unknown> {
  const [email] = await db().select().from(emails).where(eq(emails.id, id));
  const events = await db()
    .select()
    .from(emailEvents)
    .where(eq(emailEvents.emailId, id))
    .orderBy(emailEvents.id);
  const queued = await db().select().from(outbox).where(eq(outbox.emailId, id)).orderBy(outbox.id);
  const published = await db()
    .select()
    .from(webhookEvents)
    .where(sql`payload -> 'data' ->> 'email_id' = ${id}`)
    .orderBy(webhookEvents.createdAt);
  const message = await composeSource(aContext(company.companyId), id);
  const { sentAt, eventTypes, ...row } = email!;
  const rows = {
    email: { ...row, isSent: sentAt !== null, eventTypes: eventTypes & ~eventBit("scheduled") },
    events: events.filter(({ type }) => type !== "scheduled"),
    queued,
    published: published.filter(({ type }) => type !== "email.scheduled"),
    header: message.toString("latin1").split("\r\n\r\n")[0]!,
  };
  return JSON.parse(
    JSON.stringify(rows, (name, value: unknown) => {
      if (/^(id|\w+At|created_at)$/.test(name)) return undefined;
      if (typeof value === "bigint") return String(value);
      if (typeof value !== "string") return value;
      return withoutTraces(value, id);
    }),
  );
}

/** The boundary is derived from the Message-ID, and so from the id. */
const withoutTraces = (text: string, id: string) =>
  text
    .replaceAll(id, "ID")
    .replace(/^Date: .*$/m, "Date: …")
    .replace(/boundary="[^"]*"/, 'boundary="…"');

const attachments = [
  { filename: "a.txt", contentType: null, contentId: null, content: Buffer.from("a") },
];

describe.each([
  ["no tracking", false],
  ["tracking", true],
])("with %s, the same rows are written immediately and by the scheduler for", (_, isTracked) => {
  beforeAll(async () => {
    await db()
      .update(domains)
      .set({ openTracking: isTracked, clickTracking: isTracked })
      .where(eq(domains.id, company.domain.id));
  });

  test.each<[string, Fields, string[]]>([
    ["an email", {}, ["sent"]],
    [
      "recipients in several fields, some suppressed",
      { to: [named(cay), named(ann)], cc: [named(cay), named("dan@d.example")], bcc: [named(bob)] },
      ["suppressed", "suppressed", "sent"],
    ],
    ["attachments", { attachments }, ["sent"]],
    ["characters outside ASCII", { subject: "Grüße", from: "Jürgen <j@x.example>" }, ["sent"]],
  ])("%s", async (_, overrides, types) => {
    const [immediate, scheduled] = [
      await writtenFor(await send(company, overrides)),
      await writtenFor(await sendScheduled(overrides)),
    ];

    expect(scheduled).toEqual(immediate);
    const expected = types.map((type) => ({ type }));
    expect(immediate).toMatchObject({ events: expected, email: { isSent: true } });
    expect((immediate as { published: unknown[] }).published).toHaveLength(types.length);
  });

  test("an email without remaining recipients", async () => {
    const recipients = [cay, "eve@e.example"];
    const fields = { to: recipients.map((address) => named(address)), cc: [] };
    const scheduled = await sendScheduled(fields, () => suppress(...recipients));

    expect(await writtenFor(scheduled)).toEqual(await writtenFor(await send(company, fields)));
    await db().delete(suppressions).where(inArray(suppressions.email, recipients));
  });
});
