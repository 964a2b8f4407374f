import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { asc, eq } from "drizzle-orm";
import { sealMessage } from "mailauth";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import {
  companies,
  mailboxes,
  mailboxUsage,
  messageContents,
  messageRecipients,
  messages,
  quarantine,
} from "#drizzle/schema/index.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { MX_HOSTNAME, mxListeners } from "#server/testing/an-mx-listener.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
} from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { SIGNING_KEY } from "#server/testing/rsa-keys.ts";
import { KEY_RECORD, outsideDns, signed } from "#server/testing/signed-mail.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";
import type { MxOptions } from "#mail/mx/mx-listener.ts";

const anMxListener = mxListeners();
const TESTDATA = join(import.meta.dirname, "testdata/receive");
const spf = { TXT: ["v=spf1 ip4:127.0.0.1 -all"] };
const { dns, resolver } = await outsideDns({
  "there.test": spf,
  "strict.test": { TXT: ["v=spf1 -all"] },
  "_dmarc.strict.test": { TXT: ["v=DMARC1; p=reject"] },
  "s1._domainkey.strict.test": { TXT: [KEY_RECORD] },
  "wary.test": { TXT: ["v=spf1 -all"] },
  "_dmarc.wary.test": { TXT: ["v=DMARC1; p=quarantine"] },
  "lame.test": "SERVFAIL",
  "_dmarc.lame.test": { TXT: ["v=DMARC1; p=reject"] },
});

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;

beforeAll(async () => {
  dovecot = await aDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  mailbox = (await aMailbox(domain)).address;
  await anAdmin(domain.companyId, { isOwner: true });
});

const aListener = (options: Partial<MxOptions> = {}) =>
  anMxListener({ dataFolder: dovecot.dataFolder, resolver, ...options });

const TEXT = "From: Ann <ann@there.test>\r\nSubject: Hello\r\nDate: today\r\n\r\n.Hi\r\n";

/** The SMTP dialog of one message, up to its reply. */
const handIn = async (
  recipients: string[],
  reply: string,
  { message = TEXT, sender = "ann@there.test", port = 0 } = {},
) =>
  smtpDialog(
    port || (await aListener()).port,
    [
      "S: 220",
      "C: EHLO mx.there.test",
      "S: 250",
      `C: MAIL FROM:<${sender}>`,
      "S: 250",
      ...recipients.flatMap((to) => [`C: RCPT TO:<${to}>`, "S: 250"]),
      "C: DATA",
      "S: 354",
      // As bytes, because a message can contain any.
      `C\\ ${message.replaceAll("\\", "\\\\").replace(/^\./gm, "..").replaceAll("\r", "\\r").replaceAll("\n", "\\n")}.\\r\\n`,
      `S: ${reply}`,
    ].join("\n"),
  );

/** The messages in a mailbox, oldest first. */
async function mailOf(address: string, folder = "INBOX"): Promise<string[]> {
  const app = await signIn(dovecot.imap, address);
  try {
    const exists = (await app.list()).some(({ path }) => path === folder);
    if (!exists) return [];
    await app.mailboxOpen(folder);
    const found = await app.fetchAll("1:*", { source: true }).catch(() => []);
    return found.map(({ source }) => source!.toString("latin1"));
  } finally {
    app.close();
  }
}

const carried = async () =>
  db()
    .select({
      origin: messages.origin,
      sender: messages.sender,
      isSenderTold: messages.isSenderTold,
      recipient: messageRecipients.recipient,
      state: messageRecipients.state,
      content: messageContents.content,
    })
    .from(messages)
    .innerJoin(messageContents, eq(messageContents.messageId, messages.id))
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .where(eq(messages.companyId, domain.companyId))
    .orderBy(asc(messageRecipients.recipient));

const values = async () => ({
  hostname: MX_HOSTNAME,
  domain: domain.name,
  mailbox,
  other: (await aMailbox(domain)).address,
  closed: (await aGroup(domain, { posting: "members", members: [mailbox] })).address,
  delivered: `Delivered-To: ${mailbox}`,
});

test.each(readdirSync(TESTDATA))("%s", async (name) => {
  const { port } = await aListener();
  await smtpDialog(port, readFileSync(join(TESTDATA, name), "utf8"), await values());
});

test("stores a message before replying 250, with our header fields on top and the rest unchanged", async () => {
  const forged = `Authentication-Results: ${MX_HOSTNAME}; dmarc=pass\r\nX-Posthouse-Junk: yes\r\n`;
  const body = "\r\n..\r\n.\tx \xff\r\n\r\n\r\n";
  const header =
    "Received: from a by b\r\nFrom: Ann <ann@there.test>\r\nSubject: =?x?=\r\n\tfolded\r\n";
  await handIn([mailbox], "250 2.0.0", { message: `${forged}${header}\r\n${body}` });
  const [message] = await mailOf(mailbox);
  expect(message).toMatch(
    // Dovecot's own fields first.
    /^Return-Path: <ann@there\.test>\r\nDelivered-To: [^\r]+\r\nReceived: from mail\.here\.test\r\n(\t[^\r]+\r\n)+Received: from mx\.there\.test \(\[127\.0\.0\.1\]\)\r\n\tby mail\.here\.test with ESMTP id \w+\.\d+\r\n\tfor <[^>]+>;\r\n\t\w+, \d+ \w+ \d+ [\d:]+ \+0000\r\nAuthentication-Results: mail\.here\.test;\r\n\tspf=pass smtp\.mailfrom=there\.test;\r\n\tdkim=none;\r\n\tdmarc=none header\.from=there\.test;\r\n\tarc=none\r\nReceived: from a by b\r\n/,
  );
  expect(message!.endsWith(`${header}\r\n${body}`)).toBe(true);
});

test.each(["\t; dkim=pass header.d=bank.test\r\n", "and dkim=pass header.d=bank.test\r\n"])(
  "never merges a malformed first line into our header fields: %j",
  async (start) => {
    await handIn([mailbox], "250", { message: start + TEXT });
    const [message] = await mailOf(mailbox, "Junk");
    const end = message!.indexOf("\r\n\r\n") + 4;
    expect(message!.slice(0, end)).toMatch(/arc=none\r\nX-Posthouse-Junk: yes\r\n\r\n$/);
    expect(message!.slice(end)).toBe(start + TEXT);
  },
);

test("delivers one copy to a mailbox with several aliases and tags", async () => {
  const alias = await anAlias(domain, mailbox);
  const other = (await aMailbox(domain)).address;
  await handIn([alias, mailbox.replace("@", "+x@"), mailbox, other], "250");
  expect(await mailOf(mailbox)).toHaveLength(1);
  expect(await mailOf(other)).toHaveLength(1);
  // Must not reveal the other recipients.
  expect((await mailOf(mailbox))[0]).not.toContain(other);
});

describe("DMARC", () => {
  const from = (at: string) => `From: boss@${at}\r\nSubject: Pay\r\n\r\nNow\r\n`;
  test("enforces `reject`, unless a DKIM signature passes", async () => {
    const sender = "x@there.test";
    await handIn([mailbox], "550 5.7.26 Rejected by the DMARC policy of strict.test", {
      message: from("strict.test"),
      sender,
    });
    await handIn([mailbox], "250", { message: await signed(from("strict.test"), "strict.test") });
    expect(await mailOf(mailbox)).toHaveLength(1);
  });

  test("lets a failing message pass if a trusted forwarder sealed that it had passed there", async () => {
    const message = `List-Id: <l>\r\n${TEXT.replace("there.test", "strict.test")}`;
    const signer = { signingDomain: "strict.test", selector: "s1", privateKey: SIGNING_KEY };
    // The types of mailauth lack these.
    const results = {
      cv: "none",
      signTime: new Date(),
      authResults: "mx.strict.test; dmarc=pass header.from=strict.test",
    };
    const seal = await sealMessage(Buffer.from(message), { ...signer, ...results });
    const forwarded = { message: seal.toString() + message };
    await handIn([mailbox], "550 5.7.26", forwarded);
    await changeSetting(db(), "arc_trusted_sealers", "list.test,strict.test");
    await handIn([mailbox], "250", forwarded);
    await changeSetting(db(), "arc_trusted_sealers", "none");
    expect((await mailOf(mailbox))[0]).toContain(
      'dmarc=pass reason="arc=pass as[1].d=strict.test" (p=reject) header.from=strict.test',
    );
  });

  test("a DNS failure is a temporary error", async () => {
    const message = from("lame.test");
    await handIn([mailbox], "451 4.7.1", { message, sender: "x@lame.test" });
    dns.records["lame.test"] = spf;
    await handIn([mailbox], "250", { message, sender: "x@lame.test" });
  });

  test("files quarantined mail in Junk, and unauthenticated mail from a local domain without a DMARC record", async () => {
    const spam = { ...(await values()), wary: from("wary.test"), here: from(domain.name) };
    await handIn([mailbox], "250", { message: spam.wary });
    await handIn([mailbox], "250", { message: spam.here });
    await handIn([mailbox], "250", { message: "Subject: Unsigned\r\n\r\nx\r\n" });
    const all = [...(await mailOf(mailbox)), ...(await mailOf(mailbox, "Junk"))];
    expect(all).toHaveLength(3);
    for (const message of all) expect(message).toContain("\r\nX-Posthouse-Junk: yes\r\n");
  });

  test("files mail that forges a local domain with p=none in Junk; postmaster accepts all mail", async () => {
    dns.records[`_dmarc.${domain.name}`] = { TXT: ["v=DMARC1; p=none"] };
    await handIn([mailbox], "250", { message: from(domain.name) });
    expect(await mailOf(mailbox)).toEqual([]);
    expect((await mailOf(mailbox, "Junk"))[0]).toContain("\r\nX-Posthouse-Junk: yes\r\n");
    dns.records["s1._domainkey." + domain.name] = { TXT: [KEY_RECORD] };
    await handIn([mailbox], "250", { message: await signed(from(domain.name), domain.name) });
    expect((await mailOf(mailbox))[0]).not.toContain("X-Posthouse-Junk");
    await handIn([`postmaster@${domain.name}`], "250", { message: from("strict.test") });
  });

  test("files mail from a nonexistent From domain in Junk, but not after a DNS failure", async () => {
    dns.records["mute.test"] = "SERVFAIL";
    dns.records["_dmarc.mute.test"] = "SERVFAIL";
    await handIn([mailbox], "250", { message: from("never.test") });
    expect(await mailOf(mailbox, "Junk")).toHaveLength(1);
    await handIn([mailbox], "250", { message: from("mute.test") });
    await handIn([mailbox], "250", { message: from("there.test") });
    expect(await mailOf(mailbox)).toHaveLength(2);
  });
});

describe("one reply for several recipients", () => {
  /** Over its quota with a message of 2 MB, not before. */
  const large = `${TEXT}${`${"x".repeat(998)}\r\n`.repeat(2_000)}`;
  const aSmallMailbox = async () => (await aMailbox(domain, { quotaMb: 1 })).address;

  test("all mailboxes full: 452, and nothing is stored", async () => {
    await handIn([await aSmallMailbox()], "452 4.2.2", { message: large });
    expect(await carried()).toEqual([]);
  });

  test("a message larger than the room left: 452 before the rules forward it", async () => {
    await db().update(mailboxes).set({ quotaMb: 1 }).where(eq(mailboxes.address, mailbox));
    await db()
      .insert(mailboxUsage)
      .values({ address: mailbox, usedBytes: 1024 * 1024 - 1_000 });
    await saveRules(aContext(domain.companyId), mailbox, { forwardTo: ["ben@there.test"] });
    const message = `${TEXT}${"x".repeat(1_000)}\r\n`;
    await handIn([mailbox], "452 4.2.2 The mailbox is full", { message });
    expect(await db().$count(messages, eq(messages.mailbox, mailbox))).toBe(0);
  });

  test("one of two mailboxes full: 250, and the other copy is queued with bounces enabled", async () => {
    const small = await aSmallMailbox();
    await handIn([small, mailbox], "250", { message: large });
    expect(await mailOf(mailbox)).toHaveLength(1);
    const [only, ...more] = await carried();
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      origin: "incoming",
      sender: "ann@there.test",
      isSenderTold: true,
      recipient: small,
      state: "queued",
    });
    expect(only!.content.toString()).toMatch(/^Received: from mx\.there\.test/);
  });

  test("a rejecting group: 550 alone, 250 with others for an authenticated sender, who gets a bounce", async () => {
    const closed = (await aGroup(domain, { posting: "members", members: [mailbox] })).address;
    await handIn([closed], "550 5.7");
    await handIn([closed, mailbox], "250");
    expect(await carried()).toMatchObject([{ recipient: closed, isSenderTold: true }]);
    expect(await mailOf(mailbox)).toHaveLength(1);
  });

  test("mail loops: 554 if all recipients have it, otherwise no second copy", async () => {
    const other = (await aMailbox(domain)).address;
    const message = `Delivered-To: ${mailbox}\r\n${TEXT}`;
    await handIn([mailbox], "554 5.4.6", { message });
    await handIn([mailbox.replace("@", "+x@")], "554 5.4.6", { message });
    await handIn([mailbox, other], "250", { message });
    expect(await mailOf(mailbox)).toEqual([]);
    expect(await mailOf(other)).toHaveLength(1);
    expect(await carried()).toEqual([]);
  });
});

test("delivers to groups and owners before replying 250, once, however often the message is sent", async () => {
  const group = (await aGroup(domain, { members: [mailbox, "bob@elsewhere.test"] })).address;
  for (let round = 0; round < 2; round++) await handIn([group], "250");
  const copies = await carried();
  expect(copies.map(({ recipient, origin }) => `${origin} ${recipient}`).sort()).toEqual(
    ["group bob@elsewhere.test", `group ${mailbox}`].sort(),
  );
  for (const { content } of copies)
    expect(content.toString()).toContain("\r\nAuthentication-Results: mail.here.test;");
});

test("handles reports about our own mail separately from copies for mailboxes", async () => {
  await handIn([`reports@${MX_HOSTNAME}`, mailbox], "250");
  expect(await mailOf(mailbox)).toHaveLength(1);
});

test("greylisting defers unknown senders, but not mail for postmaster or system addresses", async () => {
  await db().update(companies).set({ greylisting: true }).where(eq(companies.id, domain.companyId));
  const { port } = await aListener({ limits: { networkOf: () => null } });
  await smtpDialog(
    port,
    [
      "S: 220",
      "C: EHLO there.test",
      "S: 250",
      "C: MAIL FROM:<ann@there.test>",
      "S: 250",
      `C: RCPT TO:<${mailbox}>`,
      "S: 451 4.7.1",
      `C: RCPT TO:<reports@${MX_HOSTNAME}>`,
      "S: 250",
      `C: RCPT TO:<postmaster@${domain.name}>`,
      "S: 250",
    ].join("\n"),
  );
});

describe("rspamd verdicts", () => {
  let rspamd: FakeRspamd;
  beforeAll(async () => {
    rspamd = await aRspamd();
    await changeSetting(db(), "rspamd_url", rspamd.url);
    invalidateSettings();
  });
  afterAll(async () => {
    await rspamd.stop();
    await changeSetting(db(), "rspamd_url", "off");
    invalidateSettings();
  });

  test("files in Junk with the score in a header field, rejects spam, and always delivers to postmaster", async () => {
    rspamd.answer = { score: 7, symbols: { BAYES_SPAM: 5 } };
    await handIn([mailbox], "250");
    const [junk] = [...(await mailOf(mailbox)), ...(await mailOf(mailbox, "Junk"))];
    expect(junk).toContain(
      "\r\nX-Posthouse-Junk: yes\r\nX-Posthouse-Spam: 7.00\r\n\tBAYES_SPAM\r\n",
    );
    rspamd.answer = { score: 50, symbols: { GTUBE: 50 } };
    await handIn([mailbox], "550 5.7.1");
    await handIn([`postmaster@${domain.name}`, mailbox], "550 5.7.1");
    await handIn([`postmaster@${domain.name}`], "250");
  });

  test("quarantines a message once for the mailboxes and once for each group", async () => {
    rspamd.answer = { score: 11, symbols: { BAYES_SPAM: 11 } };
    const other = (await aMailbox(domain)).address;
    const group = (await aGroup(domain, { members: [mailbox] })).address;
    for (let round = 0; round < 2; round++) await handIn([mailbox, other, group], "250");
    // In another transaction, although the message is the same.
    const third = (await aMailbox(domain)).address;
    await handIn([third], "250");
    const kept = await db()
      .select()
      .from(quarantine)
      .where(eq(quarantine.companyId, domain.companyId));
    expect(kept.map(({ recipients }) => [...recipients].sort().join(" ")).sort()).toEqual(
      [[mailbox, other].sort().join(" "), group, third].sort(),
    );
    expect(kept[0]).toMatchObject({ reason: "spam", sender: "ann@there.test", subject: "Hello" });
    expect(await mailOf(mailbox)).toEqual([]);
  });
});

test("while Dovecot is down replies with a temporary error, and delivers the retry", async () => {
  const own = await aDovecot();
  try {
    const listener = await aListener({ dataFolder: own.dataFolder });
    await own.running.stop();
    await handIn([mailbox], "451 4.3.0", { port: listener.port });
    // The mailbox gets it later than the group, which already has it.
    const group = (await aGroup(domain, { members: ["bob@elsewhere.test"] })).address;
    await handIn([mailbox, group], "250", { port: listener.port });
    expect((await carried()).map(({ recipient }) => recipient)).toContain(mailbox);
  } finally {
    await own.stop();
  }
  await handIn([mailbox], "250");
  expect(await mailOf(mailbox)).toHaveLength(1);
});

test("a lost 250 causes at most a second copy", async () => {
  const { port } = await aListener();
  const group = (await aGroup(domain, { members: ["bob@elsewhere.test"] })).address;
  // Disconnects without waiting for the reply to its message.
  await smtpDialog(
    port,
    [
      "S: 220",
      "C: EHLO mx.there.test",
      "S: 250",
      "C: MAIL FROM:<ann@there.test>",
      "S: 250",
      ...[mailbox, group].flatMap((to) => [`C: RCPT TO:<${to}>`, "S: 250"]),
      "C: DATA",
      "S: 354",
      ...TEXT.trimEnd()
        .split("\r\n")
        .map((line) => `C: ${line.replace(/^\./, "..")}`),
      "C: .",
      "C: QUIT",
    ].join("\n"),
  );
  await expect.poll(() => mailOf(mailbox)).toHaveLength(1);
  await handIn([mailbox, group], "250");
  expect(await mailOf(mailbox)).toHaveLength(2);
  expect(await carried()).toHaveLength(1);
});

test("a suspended mailbox still receives mail", async () => {
  const suspendedAt = new Date().toISOString();
  await db().update(mailboxes).set({ suspendedAt }).where(eq(mailboxes.address, mailbox));
  await handIn([mailbox], "250");
  await db().update(mailboxes).set({ suspendedAt: null }).where(eq(mailboxes.address, mailbox));
  await expect.poll(() => mailOf(mailbox)).toHaveLength(1);
});
