import type { Outcome } from "#mail/smtp/outcome.ts";
import { setTimeout as delay } from "node:timers/promises";

import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";

import {
  dkimKeys,
  domainFindings,
  domains,
  emails,
  messageContents,
  messageRecipients,
  messages,
  quarantine,
} from "#drizzle/schema/index.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { recipientsOf, reports, theReport } from "#server/testing/leased-messages.ts";
import { acceptAll, aScriptedCarrier, messagePumps } from "#server/testing/message-pump.ts";
import { aPost } from "#server/testing/posts.ts";
import { aQueuedEmail, historyOf } from "#server/testing/queued-emails.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

const { start } = messagePumps();

let domain: Awaited<ReturnType<typeof aDomain>>;
let companyId: string;
beforeEach(async () => {
  await db().delete(messages);
  await db().delete(emails);
  companyId = (await aCompany()).id;
  domain = await aDomain(companyId);
});

const settled = () =>
  vi.waitFor(
    async () =>
      expect(await db().$count(messageRecipients, sql`state = 'queued' and attempt = 0`)).toBe(0),
    { timeout: 40_000 },
  );
const outcomesOf = async (id: string) =>
  (await recipientsOf(id)).map(({ recipient, state, dsn, reply }) => ({
    recipient,
    state,
    dsn,
    reply,
  }));

const refuse = ({ recipients }: Delivery): Outcome[] =>
  recipients.map((recipient) => ({
    recipient,
    result: "bounced",
    dsn: "5.1.1",
    message: "550 5.1.1 Unknown",
    suppress: true,
  }));

test.each([
  ["submission", "ann@here.test"],
  ["incoming", "ann@here.test"],
  ["vacation", ""],
  ["report", ""],
] as const)("a message of origin %s has the return path <%s>", async (origin, from) => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const id = await anAcceptedMessage({
    companyId,
    origin,
    sender: "ann@here.test",
    to: ["a@x.test"],
  });
  await start({ carrier });
  await settled();

  expect(deliveries.map(({ envelopeFrom }) => envelopeFrom)).toEqual([from]);
  expect(await outcomesOf(id)).toMatchObject([
    { state: "delivered", dsn: "2.0.0", reply: "250 OK" },
  ]);
});

test.each([
  ["report", "TLS-Required: No\r\n", true],
  ["report", "", false],
  ["submission", "TLS-Required: No\r\n", false],
] as const)(
  "TLS of a %s with the header field %j is optional: %s",
  async (origin, field, isTlsOptional) => {
    const { carrier, deliveries } = aScriptedCarrier(acceptAll);
    const content = `From: <posthouse@here.test>\r\n${field}\r\nHello\r\n`;
    await anAcceptedMessage({ companyId, origin, content, to: ["a@x.test"] });
    await start({ carrier });
    await settled();
    expect(deliveries).toMatchObject([{ isTlsOptional }]);
  },
);

test.each([
  ["forward", "forward", null],
  ["copy to a group", "group", "team@here.test"],
  ["submission sent as a group", "submission", "team@here.test"],
] as const)(
  "a %s has a return path that identifies its bounces",
  async (_, origin, groupAddress) => {
    const { carrier, deliveries } = aScriptedCarrier(acceptAll);
    const sender = "eve@elsewhere.test";
    const to = ["a@x.test"];
    const id = await anAcceptedMessage({ companyId, origin, groupAddress, sender, to });
    await start({ carrier });
    await settled();

    const { envelopeFrom } = deliveries[0]!;
    expect(envelopeFrom).toMatch(/@mail\.here\.test$/);
    expect(parseEnvelopeSender(envelopeFrom)).toBe(id);
  },
);

test("a post that a member sent as a group waits with the member's mailbox as its sender", async () => {
  const mailbox = `ann@${domain.name}`;
  const { address } = await aGroup(domain, { members: ["m@x.test"], moderation: "all" });
  const { address: sender } = await aGroup(domain);
  await anAcceptedMessage({ companyId, mailbox, sender, groupAddress: sender, to: [address] });
  await start({ carrier: aScriptedCarrier(acceptAll).carrier });
  await settled();

  const held = await db().select().from(quarantine).where(eq(quarantine.companyId, companyId));
  expect(held).toMatchObject([{ recipients: [address], sender: mailbox }]);
});

test("a group of another company gets the verified author, and its refusal is recorded", async () => {
  const rival = await aDomain((await aCompany()).id);
  const checkedAt = "2026-01-01";
  await db()
    .insert(domainFindings)
    .values({ domainId: rival.id, record: "mx", isVerified: true, checkedAt });
  const members = ["rita@x.test"];
  const rules = { posting: "listed" as const, posters: ["@outside.example"] };
  const listed = await aGroup(rival, { members, ...rules });
  const closed = await aGroup(rival, { members, posting: "members" });
  const { address } = await aGroup(domain, { members: [listed.address, closed.address] });
  await postToGroup(db(), address, aPost());
  await start({ carrier: aScriptedCarrier(acceptAll).carrier });
  await settled();

  const [{ id } = { id: "" }] = await db()
    .select()
    .from(messages)
    .where(eq(messages.groupAddress, address));
  const outcomes = new Map((await outcomesOf(id)).map((one) => [one.recipient, one]));
  expect(outcomes.get(listed.address)).toMatchObject({ state: "delivered" });
  expect(outcomes.get(closed.address)).toMatchObject({ state: "bounced", dsn: "5.7.2" });
});

test("a mailbox gets one copy for all its addresses from Dovecot, others from their mail servers, together and unchanged", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const { address } = await aMailbox(domain);
  const alias = await anAlias(domain, address);
  const tagged = address.replace("@", "+tag@");
  await start({ carrier, pollMs: 3_600_000 });
  const content = "From: Ann <ann@here.test>\r\nX-Odd:\tas it is \r\n\r\n\xe4\r\n.\r\n";
  const other = (await aMailbox(domain)).address;
  const id = await anAcceptedMessage({
    companyId,
    content: Buffer.from(content, "latin1"),
    to: [alias, address, other, tagged, "a@x.test"],
  });
  wakeMessages(db());
  await settled();

  const routes = deliveries.map(({ route, recipients }) => [route.kind, recipients]);
  expect(routes.toSorted()).toEqual([
    ["lmtp", [alias, other]],
    ["mx", ["a@x.test"]],
  ]);
  for (const { message } of deliveries) expect(message.toString("latin1")).toBe(content);
  expect(new Set((await outcomesOf(id)).map(({ state }) => state))).toEqual(new Set(["delivered"]));
});

test("each attempt replaces the signature, with the current key", async () => {
  const { carrier, deliveries } = aScriptedCarrier(({ recipients }) =>
    recipients.map((recipient) => ({
      recipient,
      result: "delayed",
      dsn: "4.2.0",
      message: "450 Later",
      suppress: false,
    })),
  );
  const [key] = await db().select().from(dkimKeys).where(eq(dkimKeys.domainId, domain.id));
  const stale = `DKIM-Signature: v=1; a=rsa-sha256; d=${domain.name}; s=${key!.selector};\r\n h=from; bh=x; b=y`;
  const others = "DKIM-Signature: v=1; a=rsa-sha256; d=other.test; s=x; h=from; bh=x; b=y";
  const header = `${stale}\r\n${others}\r\nFrom: <ann@${domain.name}>\r\nSubject: Hi\r\n`;
  await anAcceptedMessage({
    companyId,
    signingDomainId: domain.id,
    to: ["a@x.test"],
    content: `${header}\r\nHello\r\n`,
  });
  await start({ carrier });
  await settled();
  await db().execute(sql`update message_recipients set next_attempt_at = clock_timestamp()`);
  wakeMessages(db());
  await vi.waitFor(() => expect(deliveries).toHaveLength(2));

  for (const { message } of deliveries) {
    expect(message.toString().match(/^DKIM-Signature:/gm)).toHaveLength(2);
    const { results } = await dkimVerify(message, {
      resolver: (name: string) =>
        Promise.resolve(
          name === `${key!.selector}._domainkey.${domain.name}` ? [[dkimRecord(key!)]] : [],
        ),
    });
    const ours = results.filter(({ signingDomain }) => signingDomain === domain.name);
    expect(ours.map(({ status }) => status.result)).toEqual(["pass"]);
  }
});

test("without its key a message waits; without its bytes it fails and the sender is notified", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const given = { companyId, sender: "ann@here.test", to: ["a@x.test"] };
  const [keyless, deleted] = [domain, await aDomain(companyId)];
  const unsigned = await anAcceptedMessage({ ...given, signingDomainId: keyless.id });
  const orphan = await anAcceptedMessage({ ...given, signingDomainId: deleted.id });
  const empty = await anAcceptedMessage(given);
  await db().delete(dkimKeys).where(eq(dkimKeys.domainId, keyless.id));
  await db().delete(domains).where(eq(domains.id, deleted.id));
  await db().delete(messageContents).where(eq(messageContents.messageId, empty));
  await start({ carrier });
  await settled();

  const waits = { state: "queued", dsn: "4.3.0" };
  const why = "The sending domain has no DKIM key here, or was deleted";
  expect(await outcomesOf(unsigned)).toMatchObject([{ ...waits, reply: why }]);
  expect(await outcomesOf(orphan)).toMatchObject([{ ...waits, reply: why }]);
  expect(await outcomesOf(empty)).toMatchObject([{ state: "bounced", dsn: "5.3.0" }]);
  const { text } = await theReport();
  expect(text).toContain("The message is no longer stored");
  expect(deliveries.map(({ envelopeFrom }) => envelopeFrom)).toEqual([""]);
});

test("bounces an unknown address at a hosted domain immediately", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const moving = await aDomain(companyId);
  await db()
    .insert(domainFindings)
    .values([
      { domainId: domain.id, record: "mx", isVerified: true, checkedAt: "2026-01-01" },
      { domainId: moving.id, record: "mx", isVerified: false, checkedAt: "2026-01-01" },
    ]);
  const to = [`nobody@${domain.name}`, `nobody@${moving.name}`, "nobody@mail.here.test"];
  const id = await anAcceptedMessage({ companyId, to });
  await start({ carrier });
  await settled();

  expect(await outcomesOf(id)).toMatchObject([
    { state: "bounced", dsn: "5.1.1", reply: "No such address here" },
    { state: "delivered" },
    { state: "bounced", dsn: "5.1.1" },
  ]);
  expect(deliveries.map(({ route }) => route)).toEqual([{ kind: "mx", domain: moving.name }]);
});

test("a group member at a domain whose MX is elsewhere gets a copy; a deleted local one bounces", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const [sendOnly, hosted] = [await aDomain(companyId), await aDomain(companyId)];
  await db()
    .insert(domainFindings)
    .values([
      { domainId: sendOnly.id, record: "mx", isVerified: false, checkedAt: "2026-01-01" },
      { domainId: hosted.id, record: "mx", isVerified: true, checkedAt: "2026-01-01" },
    ]);
  const members = [`ann@${sendOnly.name}`, `gone@${hosted.name}`];
  const { address: group } = await aGroup(domain, { members });
  const content = "From: <x@y.test>\r\nSubject: Hi\r\nMessage-ID: <2@x>\r\n\r\nHello\r\n";
  await anAcceptedMessage({ companyId, sender: "x@y.test", content, to: [group] });
  await start({ carrier });
  await settled();

  expect(deliveries).toMatchObject([
    { route: { kind: "mx", domain: sendOnly.name }, recipients: [`ann@${sendOnly.name}`] },
  ]);
  const [copy] = await db().select().from(messages).where(eq(messages.groupAddress, group));
  expect(await outcomesOf(copy!.id)).toMatchObject([{ state: "delivered" }, { state: "bounced" }]);
});

test("delivers a copy to each group member, from a message and from an email of the API", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const member = await aMailbox(domain);
  const { address: group } = await aGroup(domain, { members: [member.address, "m@x.test"] });
  const content = `From: <ann@${domain.name}>\r\nSubject: Hi\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n`;
  const id = await anAcceptedMessage({
    companyId,
    sender: `ann@${domain.name}`,
    content,
    to: [group],
  });
  const emailId = await aQueuedEmail(domain, group);
  await start({ carrier });
  await vi.waitFor(() => expect(deliveries).toHaveLength(4));
  await settled();

  const reached = deliveries.map(({ recipients }) => recipients.join()).toSorted();
  expect(reached).toEqual([member.address, member.address, "m@x.test", "m@x.test"].toSorted());
  expect(await outcomesOf(id)).toMatchObject([
    { state: "delivered", reply: "Sent to the group's members" },
  ]);
  await vi.waitFor(async () =>
    expect(await historyOf(emailId)).toEqual(["sent", `delivered ${group}`]),
  );
  expect(await auditMail(db())).toMatchObject({ accepted: 5, delivered: 5, unaccounted: 0 });
  expect(await auditLedger(db())).toMatchObject({ accepted: 1, delivered: 1, unaccounted: 0 });
});

test("a group rejects an author who may not post, without suppressing its address", async () => {
  const { carrier } = aScriptedCarrier(acceptAll);
  const { address: group } = await aGroup(domain, { posting: "listed", members: ["m@x.test"] });
  const content = `From: <ann@${domain.name}>\r\nSubject: Hi\r\n\r\nHello\r\n`;
  const sender = `ann@${domain.name}`;
  const id = await anAcceptedMessage({ companyId, sender, content, to: [group] });
  const emailId = await aQueuedEmail(domain, group);
  await start({ carrier });
  await settled();

  expect(await outcomesOf(id)).toMatchObject([{ state: "bounced", dsn: "5.7.2" }]);
  await vi.waitFor(async () =>
    expect(await historyOf(emailId)).toEqual(["sent", `bounced ${group}`]),
  );
  const [row] = await db().execute(
    sql`select count(*)::int as n from suppressions where email = ${group}`,
  );
  expect(row).toEqual({ n: 0 });
  expect((await reports())[0]!.text).toContain("listed senders");
});

test("a bounce message is delivered to the sender's mailbox, and never bounces itself", async () => {
  const { carrier, deliveries } = aScriptedCarrier(refuse);
  const { address } = await aMailbox(domain);
  const id = await anAcceptedMessage({ companyId, sender: address, to: ["a@x.test"] });
  await start({ carrier });
  await vi.waitFor(() => expect(deliveries).toHaveLength(2));
  await settled();

  expect(await outcomesOf(id)).toMatchObject([{ state: "bounced" }]);
  expect(deliveries[1]).toMatchObject({
    envelopeFrom: "",
    recipients: [address],
    route: { kind: "lmtp" },
  });
  expect(await db().$count(messages)).toBe(2);
});

test("no more 30 MB messages are in memory than the limit allows, and two pumps share the rest", async () => {
  let open = 0;
  let most = 0;
  const { carrier, deliveries } = aScriptedCarrier(async (delivery) => {
    most = Math.max(most, ++open);
    await delay(20);
    open--;
    return acceptAll(delivery);
  });
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      anAcceptedMessage({ companyId, to: [`r${i}@d${i % 7}.test`] }),
    ),
  );
  await db().execute(sql`update messages set size = ${30 * 1024 * 1024}`);
  await Promise.all([start({ carrier }), start({ carrier })]);
  await settled();

  expect(most).toBeLessThanOrEqual(4);
  const recipients = deliveries.flatMap((delivery) => delivery.recipients);
  expect(new Set(recipients).size).toBe(20);
  expect(recipients).toHaveLength(20);
  expect(await auditMail(db())).toMatchObject({ delivered: 20, unaccounted: 0 });
});
