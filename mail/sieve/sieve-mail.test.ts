import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  forwardConfirmations,
  mailboxes,
  mailboxRules,
  messageContents,
  messageRecipients,
  messages,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { FORWARDS_MAX } from "#server/core/mailboxes/mailbox-rules/rule-fields.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import {
  aCompany,
  aDomain,
  allowForwarding,
  aMailbox,
  anAlias,
} from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { queuedNotices } from "#server/testing/queued-notices.ts";

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: Awaited<ReturnType<typeof aMailbox>>;
beforeAll(async () => {
  dovecot = await aDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  mailbox = await aMailbox(domain);
  await allowForwarding(domain.companyId);
});

const FORWARD = `require "copy"; redirect :copy "ben@outside.example";`;
const VACATION = `require "vacation"; vacation :days 1 :subject "Away" "I am away.";`;

let scripts = 0;
async function rule(script: string, address = mailbox.address) {
  const row = { script, scriptId: `script ${(scripts += 1)}` };
  await db()
    .insert(mailboxRules)
    .values({ mailbox: address, ...row })
    .onConflictDoUpdate({ target: mailboxRules.mailbox, set: row });
}

let messageIds = 0;
function aMessage({ to = mailbox.address, header = [] as string[], body = "Hello" } = {}) {
  const id = `Message-ID: <${(messageIds += 1)}@example.test>`;
  const fields = ["From: Ann <ann@example.test>", `To: ${to}`, "Subject: Hi", id, ...header];
  return `${fields.join("\r\n")}\r\n\r\n${body}`;
}

type Delivery = Parameters<typeof aMessage>[0] & { from?: string };
const arrive = ({ from, ...message }: Delivery = {}) =>
  deliver(dovecot.lmtpSocket, mailbox.address, aMessage(message), from);

/** The queued messages of the mailbox. */
const queued = (address = mailbox.address) =>
  db()
    .select()
    .from(messages)
    .innerJoin(messageContents, eq(messageContents.messageId, messages.id))
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .where(eq(messages.mailbox, address));

async function kept(address = mailbox.address): Promise<number> {
  const app = await signIn(dovecot.imap, address);
  const status = await app.status("INBOX", { messages: true });
  await app.logout();
  return status ? status.messages! : 0;
}

test("queues a forwarded message in the mailbox's name with its body unchanged", async () => {
  await rule(FORWARD);
  const body = ".dot\r\nblank \r\n\r\n\tÄ tab\r\n--x";
  expect(await arrive({ body })).toMatch(/^250/);
  const [row] = await queued();
  expect(row!.messages).toMatchObject({
    origin: "forward",
    sender: mailbox.address,
    isSenderTold: true,
    signingDomainId: null,
    companyId: mailbox.companyId,
    subject: "Hi",
    headerFrom: "Ann <ann@example.test>",
  });
  expect(row!.message_recipients).toMatchObject({
    recipient: "ben@outside.example",
    state: "queued",
  });
  const content = row!.message_contents.content.toString("utf8");
  expect(content.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe(`${body}\r\n`);
  expect(await kept()).toBe(1);
});

test("keeps the part before the @ of an external address as written", async () => {
  await rule(`redirect "Ben.Lee@Outside.example";`);
  expect(await arrive()).toMatch(/^250/);
  await rule(VACATION);
  expect(await arrive({ from: "Ann-AbC@example.test" })).toMatch(/^250/);
  const recipients = (await queued()).map((row) => row.message_recipients.recipient);
  expect(recipients.sort()).toEqual(["Ann-AbC@example.test", "Ben.Lee@outside.example"]);
});

test.each([".a@example.test", "A..b@example.test", "a.@example.test", '"a,b"@example.test'])(
  "replies to %s",
  async (from) => {
    await rule(VACATION);
    expect(await arrive({ from })).toMatch(/^250/);
    const [row] = await queued();
    expect(row!.message_recipients.recipient).toBe(from);
  },
);

test("forwards to as many addresses as /account accepts", async () => {
  const targets = Array.from({ length: FORWARDS_MAX }, (_, i) => `n${i}@outside.example`);
  const redirects = targets.map((target) => `redirect :copy "${target}";`);
  await rule(`require "copy"; ${redirects.join(" ")}`);
  expect(await arrive()).toMatch(/^250/);
  const rows = await queued();
  expect(rows.map((row) => row.message_recipients.recipient).sort()).toEqual(targets);
});

test("adds our authentication results (ARC) for external recipients, not for colleagues", async () => {
  const colleague = await aMailbox(domain);
  await rule(
    `require "copy"; redirect :copy "ben@outside.example"; redirect :copy "${colleague.address}";`,
  );
  const header = ["Authentication-Results: posthouse.localhost; spf=pass; arc=none"];
  const message = `${header.join("\r\n")}\r\n${aMessage()}`;
  expect(await deliver(dovecot.lmtpSocket, mailbox.address, message)).toMatch(/^250/);
  const seals = (await queued()).map(({ message_contents: { content }, message_recipients }) => [
    message_recipients.recipient,
    content.toString("latin1").startsWith("ARC-Seal:"),
  ]);
  expect(new Map(seals as [string, boolean][])).toEqual(
    new Map([
      ["ben@outside.example", true],
      [colleague.address, false],
    ]),
  );
});

test("a forwarded failure report that can't be delivered is returned too", async () => {
  await rule(FORWARD);
  expect(await arrive({ from: "" })).toMatch(/^250/);
  expect((await queued())[0]!.messages).toMatchObject({ isSenderTold: true });
});

test("a vacation reply is sent once per sender, with the null sender and a DKIM signature", async () => {
  await rule(VACATION);
  await arrive();
  await arrive();
  const rows = await queued();
  expect(rows).toHaveLength(1);
  expect(rows[0]!.messages).toMatchObject({
    origin: "vacation",
    sender: "",
    isSenderTold: false,
    signingDomainId: domain.id,
    subject: "Away",
    headerFrom: mailbox.address,
  });
  expect(rows[0]!.messages.messageId).toMatch(/@mail\.example\.test>$/);
  expect(rows[0]!.message_recipients.recipient).toBe("ann@example.test");
  expect(rows[0]!.message_contents.content.toString()).toMatch(
    /^Auto-Submitted: auto-replied \(vacation\)\r$/m,
  );
  expect(await kept()).toBe(2);
});

test("does not reply to lists, machines and return paths", async () => {
  await rule(VACATION);
  const returnPath = envelopeSender("01994f6e-7d3c-7aaa-8000-000000000000", "mail.example.test");
  for (const message of [
    { from: "" },
    { from: "mailer-daemon@example.test" },
    { from: "owner-list@example.test" },
    { from: returnPath },
    { from: mailbox.address },
    { to: "undisclosed-recipients:;" },
    { header: ["List-Id: <all.example.test>"] },
    { header: ["Precedence: bulk"] },
    { header: ["Auto-Submitted: auto-generated"] },
  ])
    expect(await arrive(message)).toMatch(/^250/);
  expect(await queued()).toEqual([]);
});

test("a vacation reply can be from an alias, but not from a foreign address", async () => {
  await rule(`require "vacation"; vacation :from "boss@example.com" "I am away.";`);
  expect(await arrive()).toMatch(/^250/);
  expect(await queued()).toEqual([]);

  const alias = await anAlias(domain, mailbox.address);
  await rule(`require "vacation"; vacation :from "${alias}" :handle "second" "I am away.";`);
  expect(await arrive()).toMatch(/^250/);
  expect((await queued())[0]!.messages.headerFrom).toContain(alias);
});

test("keeps messages that would loop instead of forwarding them", async () => {
  const alias = await anAlias(domain, mailbox.address);
  const hops = Array.from({ length: 60 }, () => "Received: from a by b");
  for (const [target, header] of [
    [mailbox.address, []],
    [mailbox.address.replace("@", "+tag@"), []],
    [alias, []],
    ["ben@outside.example", ["Delivered-To: Ben@Outside.example"]],
    ["ben@outside.example", [`X-Sieve-Redirected-From: ${mailbox.address}`]],
    ["ben@outside.example", hops],
  ] as const) {
    await rule(`redirect "${target}";`);
    expect(await arrive({ header: [...header] })).toMatch(/^250/);
  }
  expect(await queued()).toEqual([]);
  expect(await kept()).toBe(6);
});

test("applies a unit's policy to rules too", async () => {
  await db()
    .update(orgUnits)
    .set({ outsideAllowed: false })
    .where(eq(orgUnits.id, mailbox.orgUnitId));
  for (const script of [FORWARD, VACATION]) {
    await rule(script);
    expect(await arrive()).toMatch(/^250/);
  }
  expect(await queued()).toEqual([]);
  expect(await kept()).toBe(2);
});

test("forwards outside only after the address has confirmed, and asks it once", async () => {
  const setPolicy = (forwarding: "confirmed" | "forbidden") =>
    db().update(orgUnits).set({ forwarding }).where(eq(orgUnits.id, mailbox.orgUnitId));
  const colleague = await aMailbox(domain);
  await rule(`redirect "${colleague.address}"; redirect "Ben@outside.example";`);
  await setPolicy("confirmed");
  for (let message = 0; message < 2; message += 1) expect(await arrive()).toMatch(/^250/);
  const recipients = async () =>
    (await queued()).map(({ message_recipients: { recipient } }) => recipient).sort();
  expect(await recipients()).toEqual([colleague.address, colleague.address]);
  expect(await kept()).toBe(2);
  const asked = await db()
    .select()
    .from(forwardConfirmations)
    .where(eq(forwardConfirmations.mailbox, mailbox.address));
  expect(asked).toMatchObject([
    { target: "ben@outside.example", written: "Ben@outside.example", isFromScript: true },
  ]);
  expect(await queuedNotices(mailbox.companyId)).toEqual([
    { kind: "forward_requested", confirmationId: asked[0]!.id },
  ]);

  await db()
    .update(forwardConfirmations)
    .set({ confirmedAt: sql`clock_timestamp()` })
    .where(eq(forwardConfirmations.id, asked[0]!.id));
  await arrive();
  expect(await recipients()).toContain("Ben@outside.example");
  expect(await kept()).toBe(2);
  await setPolicy("forbidden");
  await arrive();
  expect(await kept()).toBe(3);
});

test("puts forwards of a mailbox on hold on hold too", async () => {
  await db()
    .update(mailboxes)
    .set({ sendingHeldAt: new Date().toISOString() })
    .where(eq(mailboxes.address, mailbox.address));
  await rule(FORWARD);
  await arrive();
  expect((await queued())[0]!.message_recipients.state).toBe("held");
});

test("limits forwards per hour; over the limit mail is only kept", async () => {
  await rule(FORWARD);
  await db()
    .insert(messages)
    .values(
      Array.from({ length: 500 }, (_, i) => ({
        id: crypto.randomUUID(),
        companyId: mailbox.companyId,
        origin: "forward" as const,
        mailbox: mailbox.address,
        sender: "",
        isSenderTold: false,
        size: i,
        recipientCount: 1,
      })),
    );
  expect(await arrive()).toMatch(/^250/);
  expect(await queued()).toEqual([]);
  expect(await kept()).toBe(1);
});
