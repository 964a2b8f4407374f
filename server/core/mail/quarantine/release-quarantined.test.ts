import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messages, quarantine } from "#drizzle/schema/index.ts";
import {
  type MessageOutcome,
  recordMessageOutcomes,
} from "#server/core/mail/outcomes/record-message-outcomes.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { leaseMessage } from "#server/testing/leased-messages.ts";

import { quarantineMessage } from "./quarantine-message.ts";
import { deleteOldQuarantined, listQuarantine } from "./quarantine.ts";
import { releaseQuarantined } from "./release-quarantined.ts";

const FULL: Partial<MessageOutcome> = {
  result: "bounced",
  dsn: "4.2.2",
  message: "452 4.2.2 Mailbox is full",
};

const WAITS: Partial<MessageOutcome> = { ...FULL, result: "delayed" };

let ctx: Context;
let ann: string;
let bob: string;

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  const domain = await aDomain(ctx.companyId);
  ann = (await aMailbox(domain)).address;
  bob = (await aMailbox(domain)).address;
});

async function aReleased() {
  const { id } = await quarantineMessage(db(), {
    companyId: ctx.companyId,
    reason: "spam",
    sender: "eve@example.org",
    recipients: [ann, bob],
    headerFrom: "Eve",
    subject: "Win",
    clientAddress: null,

    score: 12.5,
    findings: ["BAYES_SPAM"],
    content: Buffer.from("Subject: Win\r\n\r\nWin\r\n"),
  });
  await releaseQuarantined(ctx, id, ["spam"]);
  const [message] = await db().select().from(messages).where(eq(messages.companyId, ctx.companyId));
  return { id, messageId: message!.id };
}

const kept = (id: string) => db().select().from(quarantine).where(eq(quarantine.id, id));
const page = { limit: 20, after: null, before: null };

const listed = async () =>
  (await listQuarantine(ctx, page, { reasons: ["spam"], search: null })).rows;

const again = { reason: "not_found" };

test("a released message stays in the database, hidden, until every mailbox has it", async () => {
  const { id, messageId } = await aReleased();
  expect(await listed()).toEqual([]);
  await expect(releaseQuarantined(ctx, id, ["spam"])).rejects.toMatchObject(again);

  const { record } = await leaseMessage(messageId);
  await record({}, WAITS);
  expect(await kept(id)).toMatchObject([{ releasedAs: messageId }]);
  await db()
    .update(quarantine)
    .set({ createdAt: "2020-01-01T00:00:00Z" })
    .where(eq(quarantine.id, id));
  await deleteOldQuarantined(db(), 30);
  expect(await kept(id)).toHaveLength(1);
});

test("a released message leaves the quarantine once it is delivered", async () => {
  const { id, messageId } = await aReleased();
  const { record } = await leaseMessage(messageId);
  await record({}, {});
  expect(await kept(id)).toEqual([]);
});

test("a released message that a mailbox rejected returns to quarantine for that mailbox", async () => {
  const { id, messageId } = await aReleased();
  const { record } = await leaseMessage(messageId);
  await record({}, { ...FULL, dsn: "5.2.2" });
  expect(await listed()).toMatchObject([
    {
      id,
      releasedAs: null,
      recipients: [bob],
      findings: ["BAYES_SPAM", "Not delivered after its release: 452 4.2.2 Mailbox is full"],
    },
  ]);
  expect(await releaseQuarantined(ctx, id, ["spam"])).toEqual({ to: [bob], gone: [] });
});

test("two workers that record the last two recipients concurrently complete the release", async () => {
  for (let round = 0; round < 5; round++) {
    const { id, messageId } = await aReleased();
    const { say, owner } = await leaseMessage(messageId);
    const both = say({}, {});
    await Promise.all(
      both.map((one) => recordMessageOutcomes(db(), { owner, hostname: "mx" }, [one])),
    );
    expect(await kept(id)).toEqual([]);
    await db().delete(messages).where(eq(messages.id, messageId));
  }
});
