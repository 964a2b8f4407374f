import { and, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { dkimKeys, domains, emailEvents, emails, webhookEvents } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { revokeApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, withoutRates, withSettings } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aContext, anApiKey, aSuppression } from "#server/testing/factories.ts";
import { isoOf, type Listeners, webhookListeners } from "#server/testing/webhook-listeners.ts";

// Tests the events of accepting and scheduling emails and their webhook events. Later events, up to clicks,
// are tested in server/core/webhooks/endpoints/publish-outcomes.test.ts.

const ORIGINS = ["bounce", "complaint", "manual"] as const;

let endProcess: () => Promise<void>;
beforeAll(async () => {
  endProcess = await registerProcess(db(), "web");
});
afterAll(() => endProcess());

let sender: Awaited<ReturnType<typeof anApiSender>>;
let listeners: Listeners;

beforeEach(async () => {
  await withoutRates();
  await withSettings({
    hourly_recipients_company: 1_000_000,
    hourly_recipients_platform: 1_000_000,
  });
  await db().delete(emails);
  sender = await anApiSender();
  listeners = await webhookListeners(sender.companyId);
});

const send = (fields: object = {}, headers: Record<string, string> = {}) =>
  call(emailsApi.send, { key: sender.key, headers, body: { ...sender.email, ...fields } });
const schedule = (fields: object = {}) => send({ scheduled_at: "in 1 hour", ...fields });
const comeDue = () =>
  db()
    .update(emails)
    .set({ dueAt: sql`clock_timestamp() - interval '1 second'` })
    .where(eq(emails.companyId, sender.companyId));

async function theEmail() {
  const [email] = await db().select().from(emails).where(eq(emails.companyId, sender.companyId));
  return email!;
}

/** The fields of every email event. */
async function common(more: object = {}) {
  const { id, createdAt, from, to, subject, tags, messageId } = await theEmail();
  return {
    created_at: isoOf(createdAt),
    email_id: id,
    from,
    to,
    subject,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    ...(messageId !== null && { message_id: messageId }),
    ...more,
  };
}

/** Checks what all events have in common and returns their types and data. */
async function postedEvents() {
  expect(await listeners.overheard()).toEqual([]);
  const heard = await listeners.heard();
  for (const event of heard) {
    expect(event).toMatchObject({ companyId: sender.companyId, status: "pending", attempts: 0 });
    expect(event).toMatchObject({ isTest: false, scheduled: 0, isReplay: false, leaseOwner: null });
    expect(event.nextAttemptAt).not.toBeNull();
    const { type, created_at, data, ...rest } = event.payload;
    expect({ type, created_at, rest }).toEqual({
      type: event.type,
      created_at: isoOf(event.createdAt),
      rest: {},
    });
    const ofHistory = and(
      eq(emailEvents.emailId, data.email_id as string),
      eq(emailEvents.createdAt, event.createdAt),
    );
    expect(await db().$count(emailEvents, ofHistory)).toBe(1);
  }
  return heard.map(({ payload: { type, data } }) => ({ type, data }));
}

describe("an email sent immediately", () => {
  test("posts email.sent with its message_id and tags", async () => {
    const fields = {
      to: ["Bob <bob@example.org>", "eve@example.org"],
      cc: "cc@example.org",
      tags: [
        { name: "kind", value: "receipt" },
        { name: "shop", value: "north" },
      ],
    };
    expect((await send(fields)).status).toBe(200);

    const data = await common();
    expect(data).toMatchObject({
      from: sender.email.from,
      to: ["bob@example.org", "eve@example.org"],
      tags: { kind: "receipt", shop: "north" },
      message_id: `<${data.email_id}@${sender.domain.name}>`,
    });
    expect(await postedEvents()).toEqual([{ type: "email.sent", data }]);
  });

  test("without tags has none", async () => {
    await send();
    expect((await postedEvents())[0]!.data.tags).toEqual({});
  });

  test.each(ORIGINS)(
    "posts email.suppressed for a recipient skipped for %s, and email.sent for the rest",
    async (origin) => {
      await aSuppression(sender.companyId, { email: "gone@example.org", origin });
      await send({ to: "bob@example.org", bcc: "gone@example.org" });

      const [suppressed, sent, ...more] = await postedEvents();
      expect(more).toEqual([]);
      expect(sent).toEqual({ type: "email.sent", data: await common() });
      const message = expect.stringContaining("suppression list") as string;
      expect(suppressed).toEqual({
        type: "email.suppressed",
        data: await common({ to: ["gone@example.org"], suppressed: { message, type: origin } }),
      });
    },
  );

  test.each(ORIGINS)(
    "posts only email.suppressed when all recipients are skipped for %s",
    async (origin) => {
      for (const email of ["bob@example.org", "eve@example.org"])
        await aSuppression(sender.companyId, { email, origin });
      await send({ to: ["bob@example.org", "eve@example.org"] });

      const events = await postedEvents();
      expect(events.map(({ type }) => type)).toEqual(["email.suppressed", "email.suppressed"]);
      expect(events.map(({ data }) => data.to).sort()).toEqual([
        ["bob@example.org"],
        ["eve@example.org"],
      ]);
      for (const { data } of events) {
        expect(data).not.toHaveProperty("message_id");
        expect(data.suppressed).toEqual({ type: origin, message: expect.any(String) as string });
      }
    },
  );

  test("rejected by the mail server posts email.failed, without a message_id", async () => {
    await db().delete(dkimKeys).where(eq(dkimKeys.domainId, sender.domain.id));
    expect((await send({ to: ["bob@example.org", "eve@example.org"] })).status).toBe(500);

    const data = await common({ failed: { reason: "The sending domain has no DKIM key" } });
    expect(data).not.toHaveProperty("message_id");
    expect(await postedEvents()).toEqual([{ type: "email.failed", data }]);
  });

  test("that fails validation posts nothing", async () => {
    expect((await send({ from: "ann@elsewhere.example" })).status).toBe(403);
    expect((await send({ subject: "" })).status).toBe(422);
    expect(await postedEvents()).toEqual([]);
  });

  test("with an idempotency key posts once, however often it is requested", async () => {
    const headers = { "Idempotency-Key": "order-1042" };
    const answers = await Promise.all([1, 2, 3].map(() => send({}, headers)));
    await send({}, headers);

    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await postedEvents()).toEqual([{ type: "email.sent", data: await common() }]);
  });

  test("is posted with any characters it contains", async () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .map((text) => `${text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, "")}"\\'</script>$1%s`);
    await fc.assert(
      fc.asyncProperty(text, async (subject) => {
        await db().delete(emails);
        await db().delete(webhookEvents);
        expect((await send({ subject })).status).toBe(200);

        expect(await postedEvents()).toEqual([
          { type: "email.sent", data: await common({ subject }) },
        ]);
      }),
      { numRuns: 25 },
    );
  });
});

test("each email of a batch posts its own events", async () => {
  await aSuppression(sender.companyId, { email: "gone@example.org", origin: "manual" });
  const batch = [
    sender.email,
    { ...sender.email, subject: "Later", scheduled_at: "in 1 hour" },
    { ...sender.email, subject: "Gone", to: "gone@example.org" },
  ];
  const answer = await call(emailsApi.sendBatch, { key: sender.key, body: batch });

  const ids = (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
  const events = await postedEvents();
  expect(events.map(({ type, data }) => [type, data.email_id, data.subject]).sort()).toEqual([
    ["email.scheduled", ids[1], "Later"],
    ["email.sent", ids[0], "Hello"],
    ["email.suppressed", ids[2], "Gone"],
  ]);
});

test("webhooks with the same subscriptions each get their own event", async () => {
  const others = await webhookListeners(sender.companyId);
  await send();

  const [[mine], [other]] = [await listeners.heard(), await others.heard()];
  expect(other!.id).not.toBe(mine!.id);
  expect(other!.payload).toEqual(mine!.payload);
});

describe("an email that is scheduled", () => {
  test("posts email.scheduled without a message_id, and email.sent once sent", async () => {
    expect((await schedule({ tags: [{ name: "a", value: "b" }] })).status).toBe(200);
    const scheduled = { type: "email.scheduled", data: await common() };
    expect(scheduled.data).not.toHaveProperty("message_id");
    expect(await postedEvents()).toEqual([scheduled]);

    await comeDue();
    await processDueEmails(db());

    const sent = { type: "email.sent", data: await common() };
    expect(sent.data).toHaveProperty("message_id");
    expect(await postedEvents()).toEqual([scheduled, sent]);
  });

  test.each(ORIGINS)(
    "posts email.suppressed for recipients skipped for %s when it is due",
    async (origin) => {
      await schedule({ to: ["bob@example.org", "gone@example.org"] });
      await aSuppression(sender.companyId, { email: "gone@example.org", origin });
      await comeDue();
      await processDueEmails(db());

      const [, suppressed, sent, ...more] = await postedEvents();
      expect(more).toEqual([]);
      const message = expect.any(String) as string;
      expect(suppressed).toEqual({
        type: "email.suppressed",
        data: await common({ to: ["gone@example.org"], suppressed: { message, type: origin } }),
      });
      expect(sent).toEqual({ type: "email.sent", data: await common() });
    },
  );

  test("to suppressed addresses only posts email.suppressed, immediately or when due", async () => {
    await schedule();
    await aSuppression(sender.companyId, { email: "bob@example.org", origin: "complaint" });
    await comeDue();
    await processDueEmails(db());
    await schedule();

    expect((await postedEvents()).map(({ type }) => type)).toEqual([
      "email.scheduled",
      "email.suppressed",
      "email.suppressed",
    ]);
  });

  test("that fails when it is due posts email.failed with the reason", async () => {
    await schedule({ to: ["bob@example.org", "eve@example.org"] });
    await comeDue();
    await db().update(domains).set({ status: "pending" }).where(eq(domains.id, sender.domain.id));
    await processDueEmails(db());

    const reason = expect.stringContaining("no longer verified") as string;
    const [, failed, ...more] = await postedEvents();
    expect(more).toEqual([]);
    expect(failed).toEqual({ type: "email.failed", data: await common({ failed: { reason } }) });
    expect(failed!.data).not.toHaveProperty("message_id");
  });

  test("and canceled posts nothing, however it is canceled", async () => {
    const { id } = (await schedule()).body as { id: string };
    await call(emailsApi.cancel, { key: sender.key, params: { id } });
    const other = await anApiKey(sender.companyId);
    const body = { ...sender.email, scheduled_at: "in 1 hour" };
    await call(emailsApi.send, { key: other.token, body });
    await revokeApiKey(aContext(sender.companyId), other.id);

    expect((await postedEvents()).map(({ type }) => type)).toEqual([
      "email.scheduled",
      "email.scheduled",
    ]);
  });
});
