import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";

import {
  appPasswords,
  auditEntries,
  mailboxContacts,
  mailboxes,
  messageRecipients,
  messages,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { MESSAGES_CHANNEL } from "#server/core/sending/messages/messages.ts";
import { findSubmitter } from "#server/core/mail/submission/submitter.ts";
import { submitMessage } from "#server/core/mail/submission/submit-message.ts";
import { rememberNetwork, sourceNetwork } from "#server/core/access/sign-in/throttle.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { db, pool } from "#server/db/pool.ts";
import { aMailboxSender } from "#server/testing/a-submission-listener.ts";
import { withSettings } from "#server/testing/api-sender.ts";
import { aContext } from "#server/testing/factories.ts";

import { containMailbox, listHeld, releaseSending } from "./guard.ts";

const OFFICE = "192.0.2.10";
const THIEF = "198.51.100.7";
const OWNER = { privileges: new Set(["reset_user_passwords"] as const), units: new Map() };

beforeAll(() => withSettings({ hourly_recipients_mailbox: 1_000 }));

/** A mailbox that has been in use from the office for a month. */
async function somebodyAtWork() {
  const ann = await aMailboxSender();
  await rememberNetwork(db(), ann.address, OFFICE);
  await seenLongAgo(ann.address, OFFICE);
  return ann;
}

const seenLongAgo = (account: string, from: string) =>
  db()
    .update(signInNetworks)
    .set({ firstSeenAt: sql`clock_timestamp() - interval '30 days'` })
    .where(sql`account = ${account} and network = ${sourceNetwork(from)}`);

/** Signs in from this network and sends one message. */
async function send(address: string, clientAddress: string, to: string[]) {
  await rememberNetwork(db(), address, clientAddress);
  const submitter = (await findSubmitter(db(), address, { isLocked: false }))!;
  return submitMessage(
    db(),
    {
      submitter,
      sender: address,
      envelopeId: null,
      returnFull: true,
      clientAddress,
      recipients: to.map((recipient) => ({ address: recipient })),
      content: Buffer.from(`From: ${address}\r\nSubject: Cheap watches\r\n\r\nBuy\r\n`),
    },
    { hostname: "mail.here.test", now: new Date() },
  );
}

const strangers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `stranger${from + i}@elsewhere.test`);

const statesOf = async (mailbox: string) => {
  const rows = await db()
    .select({ recipient: messageRecipients.recipient, state: messageRecipients.state })
    .from(messageRecipients)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(eq(messages.mailbox, mailbox));
  return Object.groupBy(rows, ({ state }) => state);
};

const isHeld = async (address: string) => {
  const [row] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  return row!.sendingHeldAt !== null;
};

const noticesOf = (mailbox: string) =>
  db().execute<{ payload: { companyId: string; notice: object } }>(sql`
    select payload from graphile_worker._private_jobs j
    where payload -> 'notice' ->> 'mailbox' = ${mailbox}`);

test("from a new network, mail is on hold from the 51st new recipient on, including queued mail", async () => {
  const ann = await somebodyAtWork();
  for (let i = 0; i < 6; i++) {
    const { isHeld } = await send(ann.address, THIEF, [...strangers(10, i * 10), ann.colleague]);
    expect(isHeld).toBe(i === 5);
  }
  expect(await isHeld(ann.address)).toBe(true);
  const { held, queued } = await statesOf(ann.address);
  expect(held!.filter(({ recipient }) => recipient.startsWith("stranger"))).toHaveLength(60);
  // The colleague gets the message that exceeded the limit too.
  expect(queued).toEqual([{ recipient: ann.colleague, state: "queued" }]);
  expect(await noticesOf(ann.address)).toMatchObject([
    { payload: { companyId: ann.companyId, notice: { kind: "sending_held" } } },
  ]);

  // From any network from now on; colleagues still get theirs.
  expect((await send(ann.address, OFFICE, ["friend@elsewhere.test"])).isHeld).toBe(true);
  expect((await send(ann.address, OFFICE, [ann.colleague])).isHeld).toBe(true);
  expect((await statesOf(ann.address)).queued).toHaveLength(2);
  expect(await noticesOf(ann.address)).toHaveLength(1);
});

test("several new networks are counted together", async () => {
  const ann = await somebodyAtWork();
  for (let i = 0; i < 6; i++) await send(ann.address, `203.0.113.${i}`, strangers(10, i * 10));
  expect(await isHeld(ann.address)).toBe(true);
});

test("concurrent messages are counted together", async () => {
  const ann = await somebodyAtWork();
  await Promise.all(
    Array.from({ length: 12 }, (_, i) => send(ann.address, THIEF, strangers(5, i * 5))),
  );
  expect(await isHeld(ann.address)).toBe(true);
  expect(await noticesOf(ann.address)).toHaveLength(1);
});

test.each<[string, (ann: Awaited<ReturnType<typeof somebodyAtWork>>) => Promise<unknown>]>([
  ["from a network it knows", ({ address }) => send(address, OFFICE, strangers(60))],
  ["to few", ({ address }) => send(address, THIEF, strangers(50))],
  [
    "to the same people again",
    async ({ address }) => {
      for (let i = 0; i < 3; i++) await send(address, THIEF, strangers(40));
    },
  ],
  [
    "to people it wrote to from the office just now",
    async ({ address }) => {
      await send(address, OFFICE, strangers(60));
      await send(address, THIEF, strangers(60));
    },
  ],
  [
    "to people it wrote to long ago",
    async ({ address }) => {
      await db()
        .insert(mailboxContacts)
        .values(
          strangers(60).map((contact) => ({
            mailbox: address,
            contact,
            createdAt: sql`clock_timestamp() - interval '2 hours'`,
          })),
        );
      await send(address, THIEF, strangers(60));
    },
  ],
  [
    "to colleagues",
    ({ address, domain }) =>
      send(
        address,
        THIEF,
        strangers(60).map((one) => one.replace("elsewhere.test", domain.name)),
      ),
  ],
  [
    "from a network that was new yesterday",
    async ({ address }) => {
      await rememberNetwork(db(), address, THIEF);
      await seenLongAgo(address, THIEF);
      await send(address, THIEF, strangers(60));
    },
  ],
])("does not stop a mailbox that writes %s", async (_, act) => {
  const ann = await somebodyAtWork();
  await act(ann);
  expect(await isHeld(ann.address)).toBe(false);
  expect((await statesOf(ann.address)).held).toBeUndefined();
});

test("treats the first network of a new mailbox as known", async () => {
  const ann = await aMailboxSender();
  await send(ann.address, OFFICE, strangers(60));
  expect(await isHeld(ann.address)).toBe(false);
  await send(ann.address, THIEF, strangers(60, 100));
  expect(await isHeld(ann.address)).toBe(true);
});

test("the setting 0 turns the guard off", async () => {
  await withSettings({ guard_new_recipients: 0 });
  const ann = await somebodyAtWork();
  await send(ann.address, THIEF, strangers(80));
  expect(await isHeld(ann.address)).toBe(false);
  await withSettings({ guard_new_recipients: 50 });
});

test("lists mailboxes on hold of the company that the admin can release", async () => {
  const ann = await somebodyAtWork();
  for (let i = 0; i < 7; i++) await send(ann.address, THIEF, strangers(60, i));
  const ctx = aContext(ann.companyId);
  const [held, ...others] = await listHeld(ctx, OWNER);
  expect(others).toEqual([]);
  expect(held).toMatchObject({
    address: ann.address,
    messages: 7,
    recipients: 420,
    clientAddresses: [THIEF],
  });
  expect(held!.sample).toHaveLength(5);
  expect(held!.sample[0]).toMatchObject({
    subject: "Cheap watches",
    recipients: strangers(3, 6),
    more: 57,
  });
  const none = { privileges: new Set<never>(), units: new Map() };
  expect(await listHeld(ctx, none)).toEqual([]);
  expect(await listHeld(aContext((await aMailboxSender()).companyId), OWNER)).toEqual([]);
});

test("only one of ten concurrent releases succeeds, and the networks and recipients become known", async () => {
  const ann = await somebodyAtWork();
  await send(ann.address, THIEF, strangers(60));
  const ctx = aContext(ann.companyId);
  const all = await Promise.allSettled(
    Array.from({ length: 10 }, () => releaseSending(ctx, ann.address, OWNER)),
  );
  expect(all.filter(({ status }) => status === "fulfilled")).toEqual([
    { status: "fulfilled", value: { released: 60 } },
  ]);
  const [refused] = all.filter((one) => one.status === "rejected");
  expect(refused!.reason).toMatchObject({ reason: "invalid" });
  expect((await statesOf(ann.address)).queued).toHaveLength(60);
  expect((await send(ann.address, THIEF, strangers(60, 100))).isHeld).toBe(false);
  expect((await send(ann.address, "203.0.113.9", strangers(60))).isHeld).toBe(false);
  expect(await auditOf(ann.companyId)).toEqual([
    "mailbox.sending_held",
    "mailbox.sending_released",
  ]);
});

test("only one of ten concurrent containments succeeds: mail on hold is dropped and all credentials are revoked", async () => {
  const ann = await somebodyAtWork();
  await db()
    .insert(appPasswords)
    .values({ mailbox: ann.address, name: "Phone", secretHash: "0".repeat(64) });
  const submitter = await findSubmitter(db(), ann.address, { isLocked: false });
  await send(ann.address, THIEF, strangers(60));
  const ctx = aContext(ann.companyId);
  const all = await Promise.allSettled(
    Array.from({ length: 10 }, () => containMailbox(ctx, ann.address, OWNER)),
  );
  const [contained, ...more] = all.filter((one) => one.status === "fulfilled");
  expect(more).toEqual([]);
  expect(contained!.value.dropped).toBe(60);
  expect(contained!.value.temporaryPassword).toHaveLength(20);
  expect((await statesOf(ann.address)).dropped).toHaveLength(60);
  expect(await isHeld(ann.address)).toBe(false);
  expect(await db().$count(appPasswords, eq(appPasswords.mailbox, ann.address))).toBe(0);

  const attempt = { username: ann.address, clientAddress: THIEF, service: "smtp" as const };
  await expect(
    authenticateMailbox(db(), { ...attempt, password: "test password" }),
  ).rejects.toMatchObject({ why: "wrong_credentials" });
  const now = await findSubmitter(db(), ann.address, { isLocked: false });
  expect(now!.credentialsVersion).not.toBe(submitter!.credentialsVersion);
  expect(await auditOf(ann.companyId)).toEqual([
    "mailbox.sending_held",
    "mailbox.password_reset",
    "mailbox.contained",
  ]);
});

test("containing a mailbox wakes the pump, since forwards on hold return to it", async () => {
  const ann = await somebodyAtWork();
  await send(ann.address, THIEF, strangers(60));
  const onWake = vi.fn();
  await pool().sql.listen(MESSAGES_CHANNEL, onWake);
  await containMailbox(aContext(ann.companyId), ann.address, OWNER);
  await vi.waitFor(() => expect(onWake).toHaveBeenCalled());
});

test("only one of a concurrent release and containment succeeds", async () => {
  const ann = await somebodyAtWork();
  await send(ann.address, THIEF, strangers(60));
  const ctx = aContext(ann.companyId);
  const all = await Promise.allSettled([
    releaseSending(ctx, ann.address, OWNER),
    containMailbox(ctx, ann.address, OWNER),
    releaseSending(ctx, ann.address, OWNER),
    containMailbox(ctx, ann.address, OWNER),
  ]);
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(Object.keys(await statesOf(ann.address))).toHaveLength(1);
});

test("rejects mailboxes of another company or unit, and ones not on hold", async () => {
  const ann = await somebodyAtWork();
  await send(ann.address, THIEF, strangers(60));
  const foreign = aContext((await aMailboxSender()).companyId);
  const ctx = aContext(ann.companyId);
  const elsewhere = {
    privileges: new Set<never>(),
    units: new Map([["reset_user_passwords" as const, new Set([-1])]]),
  };
  for (const act of [releaseSending, containMailbox]) {
    await expect(act(foreign, ann.address, OWNER)).rejects.toMatchObject({ reason: "not_found" });
    await expect(act(ctx, ann.address, elsewhere)).rejects.toMatchObject({
      reason: "invalid_permission",
    });
    await expect(act(ctx, ann.colleague, OWNER)).rejects.toMatchObject({ reason: "invalid" });
  }
  expect(await isHeld(ann.address)).toBe(true);
});

const auditOf = async (companyId: string) => {
  const rows = await db()
    .select({ action: auditEntries.action })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId))
    .orderBy(auditEntries.createdAt);
  return rows.map(({ action }) => action).filter((action) => action.startsWith("mailbox."));
};
