import { asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  aliases,
  companies,
  domains,
  groups,
  mailboxes,
  messageContents,
  messageRecipients,
  messages,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { setOutgoingScan } from "#server/core/access/companies/outgoing-scan.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aMailboxSender } from "#server/testing/a-submission-listener.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";
import { aContext, anAlias } from "#server/testing/factories.ts";
import { withSettings } from "#server/testing/api-sender.ts";
import { leaseMessage, REFUSED, reports } from "#server/testing/leased-messages.ts";

import { findSubmitter } from "./submitter.ts";
import { submitMessage, type SubmittedMessage } from "./submit-message.ts";

type Somebody = Awaited<ReturnType<typeof aMailboxSender>>;

const messageFrom = (from: string, more = "") =>
  Buffer.from(`From: ${from}\r\n${more}Subject: Hello\r\n\r\nText\r\n`);

async function submit(
  { address }: Pick<Somebody, "address">,
  { to = ["bob@elsewhere.test"], ...given }: Partial<SubmittedMessage> & { to?: string[] } = {},
) {
  const submitter = (await findSubmitter(db(), address, { isLocked: false }))!;
  return submitMessage(
    db(),
    {
      submitter,
      sender: address,
      recipients: to.map((recipient) => ({ address: recipient })),
      envelopeId: null,
      returnFull: true,
      content: messageFrom(address),
      clientAddress: "192.0.2.1",
      ...given,
    },
    { hostname: "mail.here.test", now: new Date() },
  );
}

describe("scan of outgoing mail", () => {
  let rspamd: FakeRspamd;
  beforeAll(async () => {
    rspamd = await aRspamd();
    rspamd.answer = { score: 30 };
    await changeSetting(db(), "rspamd_url", rspamd.url);
  });
  afterAll(async () => {
    await changeSetting(db(), "rspamd_url", "off");
    await rspamd.stop();
  });

  const statesOf = async (id: string) =>
    (await db().select().from(messageRecipients).where(eq(messageRecipients.messageId, id))).map(
      ({ state }) => state,
    );

  test("rejects spam if the company wants that, and stores nothing", async () => {
    const ann = await aMailboxSender();
    await setOutgoingScan(aContext(ann.companyId), "reject");
    const sent = submit(ann, { to: [ann.colleague] });
    await expect(sent).rejects.toEqual(refusal("5.7.1", /looks like spam \(score 30\.0 of 15\)/));
    expect(await db().$count(messages, eq(messages.mailbox, ann.address))).toBe(0);
  });

  test("holds spam for all recipients, and puts the mailbox on hold once", async () => {
    const ann = await aMailboxSender();
    await setOutgoingScan(aContext(ann.companyId), "hold");
    for (const to of [[ann.colleague], [ann.colleague, "bob@elsewhere.test"]]) {
      const { id, isHeld } = await submit(ann, { to });
      expect(isHeld).toBe(true);
      expect(new Set(await statesOf(id))).toEqual(new Set(["held"]));
    }
    const jobs = await db().execute<{ notice: object }>(sql`
      select payload -> 'notice' as notice from graphile_worker._private_jobs
      where payload -> 'notice' ->> 'mailbox' = ${ann.address}`);
    expect(jobs).toEqual([
      { notice: { kind: "sending_held", mailbox: ann.address, isSpam: true } },
    ]);
  });

  test("accepts mail of other companies, and all mail without rspamd", async () => {
    const [ann, ben] = [await aMailboxSender(), await aMailboxSender()];
    await setOutgoingScan(aContext(ann.companyId), "reject");
    expect((await submit(ben)).isHeld).toBe(false);
    rspamd.answer = 500;
    expect((await submit(ann)).isHeld).toBe(false);
  });
});

const refusal = (enhancedCode: string, text: string | RegExp = "") =>
  expect.objectContaining({
    enhancedCode,
    message: expect.stringMatching(text) as string,
  }) as Error;

test("stores a message with everything that delivery and bounces need", async () => {
  const ann = await aMailboxSender();
  const { id, isHeld } = await submit(ann, {
    recipients: [
      { address: ann.colleague, notify: ["success"], originalRecipient: "rfc822;bob" },
      { address: "carl@elsewhere.test" },
      { address: "carl@elsewhere.test" },
    ],
    envelopeId: "QQ314159",
    returnFull: false,
    content: messageFrom(`Ann <${ann.address}>`, "Bcc: carl@elsewhere.test\r\n"),
  });

  expect(isHeld).toBe(false);
  const [message] = await db().select().from(messages).where(eq(messages.id, id));
  expect(message).toMatchObject({
    companyId: ann.companyId,
    origin: "submission",
    mailbox: ann.address,
    sender: ann.address,
    isSenderTold: true,
    signingDomainId: ann.domain.id,
    headerFrom: `Ann <${ann.address}>`,
    subject: "Hello",
    recipientCount: 2,
    clientAddress: "192.0.2.1",
    envelopeId: "QQ314159",
    returnFull: false,
    messageId: `<${id}@${ann.domain.name}>`,
  });
  const recipients = await db()
    .select()
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id))
    .orderBy(asc(messageRecipients.id));
  expect(recipients).toMatchObject([
    {
      recipient: ann.colleague,
      destination: ann.domain.name,
      state: "queued",
      notify: ["success"],
      originalRecipient: "rfc822;bob",
    },
    { recipient: "carl@elsewhere.test", state: "queued", notify: null },
  ]);
  const [kept] = await db()
    .select({ content: messageContents.content })
    .from(messageContents)
    .where(eq(messageContents.messageId, id));
  expect(kept!.content.toString()).toMatch(/^Received: by mail\.here\.test with ESMTPSA/);
  expect(kept!.content.toString()).not.toMatch(/bcc|192\.0\.2\.1/i);
  expect(message!.size).toBe(kept!.content.length);
});

test("read receipts have a null sender and don't bounce", async () => {
  const ann = await aMailboxSender();
  const { id } = await submit(ann, { sender: "" });
  const [message] = await db().select().from(messages).where(eq(messages.id, id));
  expect(message).toMatchObject({ sender: "", isSenderTold: false });
});

test("accepts any of the mailbox's own addresses in From and Sender, and no other", async () => {
  const ann = await aMailboxSender();
  const own = [ann.alias, ann.group, `ann+shop@${ann.domain.name}`, ann.address.toUpperCase()];
  for (const address of own) {
    await submit(ann, { content: messageFrom(address) });
    await submit(ann, { content: messageFrom(ann.address, `Sender: ${address}\r\n`) });
  }
  const catchAll = await anAlias(ann.domain, ann.address, `*@${ann.domain.name}`);
  const others = [
    catchAll,
    ann.colleague,
    ann.colleaguesAlias,
    ann.closedGroup,
    ann.foreign,
    "x@elsewhere.test",
    `unknown@${ann.domain.name}`,
    `ann@sub.${ann.domain.name}`,
  ];
  for (const address of others) {
    const no = refusal("5.7.1", /can't send as/);
    await expect(submit(ann, { content: messageFrom(address) })).rejects.toEqual(no);
    const sender = messageFrom(ann.address, `Sender: ${address}\r\n`);
    await expect(submit(ann, { content: sender })).rejects.toEqual(no);
    await expect(submit(ann, { sender: address })).rejects.toEqual(no);
  }
});

test("bounces of mail sent as a group go to the mailbox that sent it", async () => {
  const ann = await aMailboxSender();
  const [local, domain] = ann.group.split("@");
  for (const sender of [ann.group, `${local}+shop@${domain}`]) {
    const { id } = await submit(ann, { sender, content: messageFrom(ann.group) });
    await (await leaseMessage(id)).record(REFUSED);
  }
  const mine = (await reports()).filter(({ message }) => message.companyId === ann.companyId);
  expect(mine.map(({ recipient }) => recipient)).toEqual([ann.address, ann.address]);
});

test("an exact address takes precedence over a tagged one", async () => {
  const ann = await aMailboxSender();
  const tagged = `ann+bob@${ann.domain.name}`;
  await db().execute(sql`insert into addresses (address, company_id, domain_id, kind)
    values (${tagged}, ${ann.companyId}, ${ann.domain.id}, 'alias')`);
  await db().insert(aliases).values({ address: tagged, mailbox: ann.colleague });
  await expect(submit(ann, { content: messageFrom(tagged) })).rejects.toEqual(refusal("5.7.1"));
});

test("rejects disabled aliases and groups, and domains without verified ownership", async () => {
  const ann = await aMailboxSender();
  await db().update(aliases).set({ active: false }).where(eq(aliases.address, ann.alias));
  await db().update(groups).set({ active: false }).where(eq(groups.address, ann.group));
  for (const address of [ann.alias, ann.group])
    await expect(submit(ann, { content: messageFrom(address) })).rejects.toEqual(refusal("5.7.1"));
  await db().update(domains).set({ ownershipProvenAt: null }).where(eq(domains.id, ann.domain.id));
  await expect(submit(ann)).rejects.toEqual(refusal("5.7.1"));
});

const later = new Date().toISOString();
test.each<[string, (ann: Somebody) => PromiseLike<unknown>]>([
  ["suspended", ({ address }) => set(address, { suspendedAt: later })],
  ["with another password", ({ address }) => set(address, { passwordHash: "another" })],
  ["whose password must be changed", ({ address }) => set(address, { forcePasswordChange: true })],
  ["of a suspended company", ({ companyId }) => setCompany(companyId, { suspendedAt: later })],
  [
    "of one without the service",
    ({ companyId }) => setCompany(companyId, { serviceEnabled: false }),
  ],
  [
    "of one without subscription",
    ({ companyId }) => setCompany(companyId, { subscriptionActive: false }),
  ],
  ["that may not send", ({ companyId }) => setUnit(companyId, { submissionAllowed: false })],
  ["that is gone", ({ address }) => db().delete(mailboxes).where(eq(mailboxes.address, address))],
])("a mailbox %s can't send, even though it is signed in", async (_, change) => {
  const ann = await aMailboxSender();
  const submitter = (await findSubmitter(db(), ann.address, { isLocked: false }))!;
  await submit(ann, { submitter });
  await change(ann);
  await expect(submit(ann, { submitter })).rejects.toEqual(refusal("5.7.1"));
});

const set = (address: string, values: Partial<typeof mailboxes.$inferInsert>) =>
  db().update(mailboxes).set(values).where(eq(mailboxes.address, address));
const setCompany = (id: string, values: Partial<typeof companies.$inferInsert>) =>
  db().update(companies).set(values).where(eq(companies.id, id));
const setUnit = (id: string, values: Partial<typeof orgUnits.$inferInsert>) =>
  db().update(orgUnits).set(values).where(eq(orgUnits.companyId, id));

test("rejects external recipients if the unit doesn't allow them", async () => {
  const ann = await aMailboxSender();
  await setUnit(ann.companyId, { outsideAllowed: false });
  await submit(ann, { to: [ann.colleague] });
  for (const to of [["x@elsewhere.test"], [ann.colleague, ann.foreign]])
    await expect(submit(ann, { to })).rejects.toEqual(refusal("5.7.1", /write to/));
});

test("concurrent messages are accepted up to the hourly limit", async () => {
  await withSettings({ hourly_recipients_mailbox: 30 });
  const ann = await aMailboxSender();
  const to = ["a@elsewhere.test", "b@elsewhere.test", "c@elsewhere.test"];
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => submit(ann, { to })));

  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  const [first] = all.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
  expect(first).toEqual(refusal("4.7.1", /^Limit of 30 recipients .* again in 60 minutes/));
  expect(await db().$count(messages, eq(messages.mailbox, ann.address))).toBe(10);
  await expect(
    submit(ann, { to: Array.from({ length: 31 }, (_, i) => `${i}@x.test`) }),
  ).rejects.toEqual(refusal("5.5.3"));
  // Other mailboxes have their own limit.
  await submit({ address: ann.colleague }, { to });
});

test("the hourly limit frees up, and the error says when", async () => {
  await withSettings({ hourly_recipients_mailbox: 3 });
  const ann = await aMailboxSender();
  const ids = [];
  for (const minutes of [50, 40, 5]) {
    const { id } = await submit(ann);
    ids.push(id);
    await db()
      .update(messages)
      .set({ createdAt: sql`clock_timestamp() - make_interval(mins => ${minutes})` })
      .where(eq(messages.id, id));
  }
  await expect(submit(ann)).rejects.toEqual(refusal("4.7.1", /in 10 minutes/));
  const two = { to: ["a@elsewhere.test", "b@elsewhere.test"] };
  await expect(submit(ann, two)).rejects.toEqual(refusal("4.7.1", /in 20 minutes/));
  await db()
    .update(messages)
    .set({ createdAt: sql`clock_timestamp() - interval '61 minutes'` })
    .where(eq(messages.id, ids[0]!));
  await submit(ann);
});
