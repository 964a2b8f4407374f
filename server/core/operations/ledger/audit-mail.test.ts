import { type SQL, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";

import { auditMail } from "./audit-mail.ts";

let companyId: string;
beforeEach(async () => {
  await db().delete(messages);
  companyId = (await aCompany()).id;
});

const none = { accepted: 0, delivered: 0, bounced: 0, queued: 0, held: 0, dropped: 0 };
const settle = (address: string, state: string) =>
  db().execute(sql`update message_recipients
    set state = ${state}::message_recipient_state, settled_at = now() where recipient = ${address}`);

test("an empty ledger balances", async () => {
  expect(await auditMail(db())).toEqual({ ...none, unaccounted: 0, examples: [] });
});

test("counts each recipient in one state; a completed message needs no content", async () => {
  const to = ["a@x.test", "b@x.test", "c@x.test"];
  await anAcceptedMessage({ companyId, to });
  await settle("a@x.test", "delivered");
  await settle("b@x.test", "bounced");
  await settle("c@x.test", "dropped");
  await db().execute(sql`delete from message_contents`);
  await anAcceptedMessage({ companyId, to: ["d@x.test", { address: "e@x.test", isHeld: true }] });

  expect(await auditMail(db())).toEqual({
    accepted: 5,
    delivered: 1,
    bounced: 1,
    queued: 1,
    held: 1,
    dropped: 1,
    unaccounted: 0,
    examples: [],
  });
});

const recipients = (set: SQL) => sql`update message_recipients set ${set}`;
const doubtful: [why: string, SQL][] = [
  ["queued, but its message is missing", sql`delete from message_contents`],
  ["queued, but has a completion time", recipients(sql`settled_at = now()`)],
  ["has no completion time", recipients(sql`state = 'delivered'`)],
  [
    "held, but also being delivered",
    recipients(sql`state = 'held', lease_owner = gen_random_uuid()`),
  ],
];

test.each(doubtful)("unaccounted: %s", async (why, harm) => {
  const messageId = await anAcceptedMessage({ companyId, to: ["a@x.test"] });
  await db().execute(harm);

  expect(await auditMail(db())).toEqual({
    ...none,
    accepted: 1,
    unaccounted: 1,
    examples: [{ messageId, recipient: "a@x.test", why }],
  });
});

test.each([
  ["a forward", "bounced", "undelivered and not returned"],
  ["a forward an admin dropped", "dropped", "undelivered and not returned"],
  ["a forward whose report", "returned", "undelivered, and its bounce message failed"],
])("unaccounted: %s that was neither delivered nor returned", async (_, how, why) => {
  const { address: mailbox } = await aMailbox(await aDomain(companyId));
  const given = { companyId, origin: "forward" as const, mailbox, sender: mailbox };
  const messageId = await anAcceptedMessage({ ...given, to: ["f@x.test"] });
  await settle("f@x.test", how === "returned" ? "bounced" : how);
  if (how === "returned") {
    const report = await anAcceptedMessage({ companyId, origin: "report", to: ["r@x.test"] });
    await db().execute(sql`update message_recipients set report_id = ${report}
      where recipient = 'f@x.test'`);
    expect(await auditMail(db())).toMatchObject({ bounced: 1, queued: 1, unaccounted: 0 });
    await settle("r@x.test", "bounced");
  }
  const examples = [{ messageId, recipient: "f@x.test", why }];
  expect(await auditMail(db())).toMatchObject({ unaccounted: 1, examples });

  await db().execute(sql`delete from mailboxes where address = ${mailbox}`);
  expect(await auditMail(db())).toMatchObject({ unaccounted: 0 });
});

test("unaccounted: a post that reached no member and was not returned", async () => {
  const { address: groupAddress } = await aGroup(await aDomain(companyId), { members: [] });
  const given = { companyId, origin: "group" as const, groupAddress };
  const distributionId = crypto.randomUUID();
  await anAcceptedMessage({ ...given, distributionId, to: ["a@x.test"] });
  await anAcceptedMessage({ ...given, distributionId, to: ["b@x.test"] });
  await settle("a@x.test", "bounced");
  await settle("b@x.test", "delivered");
  expect(await auditMail(db())).toMatchObject({ unaccounted: 0 });
  await settle("b@x.test", "bounced");
  expect(await auditMail(db())).toMatchObject({ unaccounted: 2 });
});

test("unaccounted: recipients with missing rows", async () => {
  const messageId = await anAcceptedMessage({
    companyId,
    to: ["a@x.test", "b@x.test", "c@x.test"],
  });
  await db().execute(sql`delete from message_recipients where recipient <> 'a@x.test'`);

  const why = "accepted for 3 recipients, but has 1";
  expect(await auditMail(db())).toEqual({
    ...none,
    accepted: 3,
    queued: 1,
    unaccounted: 2,
    examples: [{ messageId, recipient: null, why }],
  });
});
