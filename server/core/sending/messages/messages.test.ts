import { eq, type SQL, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messageContents, messageRecipients, messages } from "#drizzle/schema/index.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";

import { deleteOldMessages } from "./messages.ts";

test("accepts a message to more recipients than a statement has parameters", async () => {
  const { id: companyId } = await aCompany();
  const to = Array.from({ length: 12_000 }, (_, i) => `m${i}@x.test`);

  const id = await anAcceptedMessage({ companyId, origin: "group", to });

  const kept = await db()
    .select({ recipient: messageRecipients.recipient })
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id))
    .orderBy(messageRecipients.id);
  expect(kept.map(({ recipient }) => recipient)).toEqual(to);
});

let companyId: string;

beforeEach(async () => {
  await db().delete(messages);
  companyId = (await aCompany()).id;
});

const daysAgo = (days: number) => sql`clock_timestamp() - make_interval(days => ${days})`;

/** A message this many days old, with a recipient in each state. */
async function aMessage(age: number, ...states: [state: string, settledAt: SQL | null][]) {
  const to = states.map((_, at) => `r${at}@x.test`);
  const id = await anAcceptedMessage({ companyId, to });
  await db()
    .update(messages)
    .set({ createdAt: daysAgo(age) })
    .where(eq(messages.id, id));
  for (const [at, [state, settledAt]] of states.entries())
    await db().execute(sql`
      update message_recipients
      set state = ${state}::message_recipient_state, settled_at = ${settledAt}
      where message_id = ${id} and recipient = ${to[at]}`);
  return id;
}

async function left() {
  const contents = await db().select({ id: messageContents.messageId }).from(messageContents);
  const kept = await db().select({ id: messages.id }).from(messages);
  return {
    contents: contents.map(({ id }) => id).sort(),
    messages: kept.map(({ id }) => id).sort(),
  };
}

test("deletes content three days after the last recipient is settled, and messages after thirty days", async () => {
  const done = await aMessage(10, ["delivered", daysAgo(4)], ["dropped", daysAgo(5)]);
  const ended = await aMessage(31, ["bounced", daysAgo(29)]);
  const young = await aMessage(10, ["delivered", daysAgo(4)], ["bounced", daysAgo(2)]);
  const waiting = await aMessage(40, ["delivered", daysAgo(39)], ["queued", null]);
  const held = await aMessage(40, ["held", null]);
  const released = await aMessage(40, ["delivered", daysAgo(1)]);

  expect(await deleteOldMessages(db(), 30)).toEqual({ contents: 2, messages: 1 });

  const kept = [young, waiting, held, released].sort();
  expect(await left()).toEqual({ contents: kept, messages: [done, ...kept].sort() });
  expect(await db().$count(messageRecipients, eq(messageRecipients.messageId, ended))).toBe(0);
  expect(await auditMail(db())).toMatchObject({ unaccounted: 0, held: 1, queued: 1 });
  expect(await deleteOldMessages(db(), 30)).toEqual({ contents: 0, messages: 0 });
});

test("keeps the content of forwards for seven days, so a late bounce can return the whole message", async () => {
  const recent = await aMessage(10, ["delivered", daysAgo(6)]);
  const old = await aMessage(10, ["delivered", daysAgo(8)]);
  await db().update(messages).set({ origin: "forward" });

  expect(await deleteOldMessages(db(), 30)).toEqual({ contents: 1, messages: 0 });
  expect(await left()).toEqual({ contents: [recent], messages: [recent, old].sort() });
});

test("skips locked rows and deletes them later", async () => {
  await aMessage(31, ["delivered", daysAgo(30)]);
  const locked = await aMessage(31, ["delivered", daysAgo(30)]);
  await db().transaction(async (tx) => {
    await tx.execute(sql`select from messages where id = ${locked} for update`);
    expect(await deleteOldMessages(db(), 30)).toEqual({ contents: 2, messages: 1 });
  });
  expect(await deleteOldMessages(db(), 30)).toEqual({ contents: 0, messages: 1 });
});

test("deletes more than one batch", async () => {
  const many = Array.from({ length: 120 }, () =>
    anAcceptedMessage({ companyId, to: ["a@x.test"] }),
  );
  await Promise.all(many);
  await db().execute(sql`update messages set created_at = ${daysAgo(4)}`);
  await db().execute(sql`
    update message_recipients set state = 'delivered', settled_at = ${daysAgo(4)}`);
  expect(await deleteOldMessages(db(), 30)).toEqual({ contents: 120, messages: 0 });
});
