// cspell:ignore Quarantäne kein Betreff Freigeben öffnen
import { and, eq, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { beforeEach, expect, test, vi } from "vitest";

import {
  mailboxes,
  messageContents,
  messageRecipients,
  messages,
  quarantine,
  quarantineDigests,
  sendingSeconds,
} from "#drizzle/schema/index.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { createUnit, ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import { sendDigests } from "./digests.ts";

const log = { error: () => {} };

/** Before the period's end, which is at most an hour ago. */
const TWO_HOURS_AGO = sql`clock_timestamp() - interval '2 hours'`;

let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
let root: number;

beforeEach(async () => {
  await changeSetting(
    db(),
    "quarantine_digest_hour",
    String(new Date(Date.now() - 360_000).getUTCHours()),
  );
  ctx = aContext((await aCompany({ name: "Northwind" })).id);
  domain = await aDomain(ctx.companyId);
  root = await ensureRootUnit(ctx);
  await setPolicies(ctx, root, { quarantineDigest: "daily", quarantineRelease: "spam" });
});

const anOldMailbox = (overrides: Parameters<typeof aMailbox>[1] = {}) =>
  aMailbox(domain, { createdAt: "2026-01-01T00:00:00Z", ...overrides });

async function aQuarantined(
  recipients: string[],
  {
    subject = "Win",
    reason = "spam",
    at = TWO_HOURS_AGO,
  }: { subject?: string; reason?: "spam" | "virus" | "moderation"; at?: typeof TWO_HOURS_AGO } = {},
): Promise<string> {
  const { id } = await quarantineMessage(db(), {
    companyId: ctx.companyId,
    reason,
    sender: "eve@example.org",
    recipients,
    subject,
    headerFrom: "Eve <eve@example.org>",
    clientAddress: null,
    score: 12,
    findings: [],
    content: Buffer.from("Subject: Win\r\n\r\nWin\r\n"),
  });
  await db().update(quarantine).set({ createdAt: at }).where(eq(quarantine.id, id));
  return id;
}

const digests = async (mailbox: string) => {
  const rows = await db()
    .select({ message: messages, recipient: messageRecipients, content: messageContents.content })
    .from(messages)
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .innerJoin(messageContents, eq(messageContents.messageId, messages.id))
    .where(and(eq(messages.origin, "report"), eq(messageRecipients.recipient, mailbox)))
    .orderBy(messages.createdAt);
  return Promise.all(
    rows.map(async ({ content, ...row }) => ({ ...row, ...(await simpleParser(content)) })),
  );
};

const linksIn = (text: string) => text.match(/https?:\/\/\S+\/release\/\S+/g) ?? [];

async function nextDay() {
  const yesterday = sql`interval '1 day'`;
  await db()
    .update(quarantineDigests)
    .set({ listedUntil: sql`listed_until - ${yesterday}` });
  await db()
    .update(quarantine)
    .set({ createdAt: sql`created_at - ${yesterday}` });
}

test("a mailbox gets one digest a day, of what was quarantined since the last one", async () => {
  const { address } = await anOldMailbox();
  await aQuarantined([address, `bob@${domain.name}`], { subject: "You won <b>" });
  await aQuarantined([address], { subject: "Invoice", reason: "virus" });
  await aQuarantined([`team@${domain.name}`], { reason: "moderation" });

  await sendDigests(db(), log);
  await sendDigests(db(), log);

  const [digest, ...others] = await digests(address);
  expect(others).toEqual([]);
  expect(digest!.subject).toBe("2 messages in quarantine");
  expect(digest!.headers.get("auto-submitted")).toBe("auto-generated");
  expect(digest!.message).toMatchObject({ sender: "", isSenderTold: false, mailbox: null });
  expect(digest!.text).toContain("You won <b>\nFrom Eve <eve@example.org>");
  expect(digest!.html).toContain("You won &lt;b&gt;");
  expect(digest!.text).toContain("Invoice");
  expect(linksIn(digest!.text!)).toHaveLength(1);
  expect(await db().$count(sendingSeconds, eq(sendingSeconds.scope, ctx.companyId))).toBe(0);

  await nextDay();
  await sendDigests(db(), log);
  expect(await digests(address)).toHaveLength(1);
  await nextDay();
  await aQuarantined([address], { subject: "Second" });
  await sendDigests(db(), log);
  const [, second] = await digests(address);
  expect(second!.text).toContain("Second");
  expect(second!.text).not.toContain("Invoice");
});

test("a digest is in the language of the mailbox", async () => {
  const { address } = await anOldMailbox();
  await db().update(mailboxes).set({ language: "de" }).where(eq(mailboxes.address, address));
  await aQuarantined([address], { subject: "" });
  await sendDigests(db(), log);
  const [digest] = await digests(address);
  expect(digest!.subject).toBe("1 E-Mail in Quarantäne");
  expect(digest!.text).toMatch(
    /\(kein Betreff\)\nVon Eve <eve@example\.org>\n\d+\. \S+ \d+ um .+ UTC, Spam\nFreigeben: /,
  );
  expect(digest!.html).toContain("Quarantäne öffnen");
});

test("messages after the digest hour wait for the next day", async () => {
  const { address } = await anOldMailbox();
  await aQuarantined([address], { at: sql`clock_timestamp() - interval '1 minute'` });
  await sendDigests(db(), log);
  expect(await digests(address)).toEqual([]);
});

test("the nearest unit's policy decides", async () => {
  const unit = await createUnit(ctx, { parentId: root, name: "Sales" });
  const { address: off } = await anOldMailbox({ orgUnitId: unit });
  await setPolicies(ctx, unit, { quarantineDigest: "off" });
  const { address: noRelease } = await anOldMailbox();
  const { address: suspended } = await anOldMailbox({ suspendedAt: "2026-01-01T00:00:00Z" });
  await setPolicies(ctx, root, { quarantineRelease: null });
  await aQuarantined([off, noRelease, suspended]);

  await sendDigests(db(), log);

  expect(await digests(off)).toEqual([]);
  expect(await digests(suspended)).toEqual([]);
  const [digest] = await digests(noRelease);
  expect(linksIn(digest!.text!)).toEqual([]);
  expect(digest!.text).toContain("ask an admin of Northwind to release it");
});

test("neither another company's messages nor those of an earlier mailbox are listed", async () => {
  const { address } = await aMailbox(domain);
  await aQuarantined([address]);
  const other = await aCompany();
  const { address: theirs } = await anOldMailbox();
  const foreign = await aQuarantined([theirs]);
  await db().update(quarantine).set({ companyId: other.id }).where(eq(quarantine.id, foreign));

  await sendDigests(db(), log);

  expect(await digests(address)).toEqual([]);
  expect(await digests(theirs)).toEqual([]);
});

test("lists the user's own mail that was put on hold", async () => {
  const { address } = await anOldMailbox();
  await anAcceptedMessage({
    companyId: ctx.companyId,
    sender: address,
    subject: "Offer",
    isHeld: true,
    to: ["a@x.test", "b@x.test", "c@x.test", "d@x.test"],
  });
  await db()
    .update(messages)
    .set({ createdAt: TWO_HOURS_AGO })
    .where(eq(messages.mailbox, address));
  await db()
    .update(mailboxes)
    .set({ sendingHeldAt: TWO_HOURS_AGO })
    .where(eq(mailboxes.address, address));

  await sendDigests(db(), log);

  const [digest] = await digests(address);
  expect(digest!.subject).toBe("1 message you sent on hold");
  expect(digest!.text).toContain("Offer\nTo a@x.test, b@x.test, c@x.test and 1 more");
});

test("each mailbox gets one digest, also if workers are killed while they send", async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => anOldMailbox()));
  await aQuarantined(people.map(({ address }) => address));
  const runs = await db().transaction(async (tx) => {
    // Stops each worker in the middle of its transaction.
    await tx.execute(sql`lock table messages in share row exclusive mode`);
    const runs = [sendDigests(db(), log), sendDigests(db(), log)];
    for (let kills = 0; kills < 3; kills++) {
      // Its query fails if it uses the connection of a killed worker before the driver has noticed.
      await vi.waitFor(() => untilBlocked(2));
      // Or the transaction would see the same connections each time.
      await tx.execute(sql`select pg_stat_clear_snapshot()`);
      // What Postgres does once a process is gone.
      await tx.execute(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
    }
    return { settled: Promise.allSettled(runs) };
  });
  const outcomes = await runs.settled;
  await Promise.all([sendDigests(db(), log), sendDigests(db(), log)]);

  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const rows = await db().execute<{ count: number }>(sql`
    select count(*)::int as count from message_recipients r join messages m on m.id = r.message_id
    where m.company_id = ${ctx.companyId} and m.origin = 'report' group by recipient`);
  expect(rows.map(({ count }) => count)).toEqual(people.map(() => 1));
});
