import { randomUUID } from "node:crypto";

import { and, eq, isNull, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import {
  auditEntries,
  mailboxes,
  messageContents,
  messageRecipients,
  messages,
  quarantine,
  quarantineContents,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAlias,
  anInboundAddress,
} from "#server/testing/factories.ts";

import {
  deleteOldQuarantined,
  deleteQuarantined,
  getQuarantined,
  listQuarantine,
} from "./quarantine.ts";
import {
  type NewQuarantined,
  quarantineMessage,
  type QuarantineReason,
} from "./quarantine-message.ts";
import { releaseQuarantined } from "./release-quarantined.ts";

const ALL: QuarantineReason[] = ["spam", "virus", "moderation"];
const CONTENT = [
  "X-Posthouse-Junk: yes",
  "Received: from mx.example.org",
  "From: Eve <eve@example.org>",
  "Subject: Win",
  "Message-ID: <win@example.org>",
  "",
  "Win!",
  "",
].join("\r\n");

let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId);
  mailbox = (await aMailbox(domain)).address;
});

async function aHeld(overrides: Partial<NewQuarantined> = {}): Promise<string> {
  const { id } = await quarantineMessage(db(), {
    companyId: ctx.companyId,
    reason: "spam",
    sender: "eve@example.org",
    recipients: [mailbox],
    headerFrom: "Eve <eve@example.org>",
    subject: "Win",
    clientAddress: "198.51.100.7",
    score: 12.5,
    findings: ["BAYES_SPAM"],
    content: Buffer.from(CONTENT),
    ...overrides,
  });
  return id;
}

const carried = async () => {
  const rows = await db()
    .select({ message: messages, recipient: messageRecipients, content: messageContents.content })
    .from(messages)
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .innerJoin(messageContents, eq(messageContents.messageId, messages.id))
    .where(eq(messages.companyId, ctx.companyId));
  return rows;
};
const held = () =>
  db()
    .select()
    .from(quarantine)
    .where(and(eq(quarantine.companyId, ctx.companyId), isNull(quarantine.releasedAs)));
const audited = async () =>
  (await db().select().from(auditEntries).where(eq(auditEntries.companyId, ctx.companyId))).map(
    ({ action, details }) => ({ action, details }),
  );

describe("storing", () => {
  test("stores one message for two calls with the same id", async () => {
    const id = randomUUID();
    await Promise.all([aHeld({ id }), aHeld({ id })]);
    expect(await held()).toMatchObject([{ id, size: CONTENT.length, subject: "Win" }]);
  });

  test("removes characters that Postgres rejects", async () => {
    await aHeld({ subject: `a\0b\ud800${"x".repeat(2_000)}` });
    const [kept] = await held();
    expect(kept!.subject).toMatch(/^ab\ufffdx+$/);
    expect(kept!.subject).toHaveLength(998);
  });
});

describe("lists messages", () => {
  const list = (
    search: string | null = null,
    reasons = ALL,
    page: Partial<Parameters<typeof listQuarantine>[1]> = {},
  ) => listQuarantine(ctx, { limit: 20, after: null, before: null, ...page }, { reasons, search });
  const ids = async (...given: Parameters<typeof list>) =>
    (await list(...given)).rows.map(({ id }) => id);

  test("newest first, paged, only of the company", async () => {
    const first = await aHeld();
    const second = await aHeld();
    await aHeld({ companyId: (await aCompany()).id });
    expect(await ids()).toEqual([second, first]);
    expect(await ids(null, ALL, { limit: 1, after: second })).toEqual([first]);
    expect(await ids(null, ALL, { limit: 1, before: first })).toEqual([second]);
    await expect(list(null, ALL, { after: randomUUID() })).rejects.toMatchObject({
      reason: "invalid",
    });
  });

  test("filters by reason and by substring of sender, name, subject or recipient", async () => {
    const spam = await aHeld();
    const virus = await aHeld({
      reason: "virus",
      sender: "bad_100%@example.net",
      headerFrom: "Mallory",
      subject: "Rechnung ÜBER 5",
      recipients: [mailbox, "sales@corp.example"],
    });
    expect(await ids(null, ["spam"])).toEqual([spam]);
    expect(await ids(null, [])).toEqual([]);
    for (const text of ["BAD_100%@", "mallory", "über", "sales@CORP"])
      expect(await ids(text)).toEqual([virus]);
    expect(await ids("b%d")).toEqual([]);
    expect(await ids(`${mailbox}sales`)).toEqual([]);
    expect(await ids("q\0z")).toEqual([]);
  });
});

describe("reading a message", () => {
  test("returns its text, attachments and source", async () => {
    const id = await aHeld();
    expect(await getQuarantined(ctx, id, ALL)).toMatchObject({
      id,
      text: "Win!",
      isFromHtml: false,
      attachments: [],
      source: CONTENT,
      isCut: false,
    });
  });

  test("requires its company and a reason the caller has privileges for", async () => {
    const id = await aHeld();
    const other = aContext((await aCompany()).id);
    const refusal = { reason: "not_found" };
    await expect(getQuarantined(other, id, ALL)).rejects.toMatchObject(refusal);
    await expect(getQuarantined(ctx, id, ["moderation"])).rejects.toMatchObject(refusal);
    await expect(getQuarantined(ctx, "x", ALL)).rejects.toMatchObject(refusal);
  });

  test("truncates a message that is too large", async () => {
    const content = Buffer.from(`${CONTENT}${"x".repeat(70)}\r\n`.repeat(30_000));
    const shown = await getQuarantined(ctx, await aHeld({ content }), ALL);
    expect(shown).toMatchObject({ isCut: true });
    expect(shown.source).toHaveLength(64 * 1024);
    expect(shown.text.length).toBeLessThanOrEqual(20_000);
  });
});

describe("releasing a message", () => {
  test("delivers it to each mailbox's inbox and returns missing recipients", async () => {
    const other = (await aMailbox(domain)).address;
    const alias = await anAlias(domain, other);
    const gone = `gone@${domain.name}`;
    const foreign = (await aMailbox(await aDomain((await aCompany()).id))).address;
    const id = await aHeld({ recipients: [mailbox, other, alias, gone, foreign] });

    expect(await releaseQuarantined(ctx, id, ALL)).toEqual({
      to: [mailbox, other],
      gone: [gone, foreign],
    });

    const rows = await carried();
    expect(rows.map(({ recipient }) => recipient.recipient).sort()).toEqual(
      [mailbox, other].sort(),
    );
    expect(rows[0]!.message).toMatchObject({
      origin: "incoming",
      sender: "eve@example.org",
      isSenderTold: false,
      subject: "Win",
      messageId: "<win@example.org>",
      clientAddress: "198.51.100.7",
    });
    expect(rows[0]!.content.toString()).toBe(CONTENT.replace("X-Posthouse-Junk: yes\r\n", ""));
    expect(await held()).toEqual([]);
    expect(await audited()).toEqual([
      {
        action: "quarantine.released",
        details: {
          reason: "spam",
          sender: "eve@example.org",
          from: "Eve <eve@example.org>",
          subject: "Win",
          to: [mailbox, other],
          gone: [gone, foreign],
        },
      },
    ]);
  });

  test("delivers it to inbound addresses, and to a catch-all", async () => {
    await anInboundAddress(domain, `*@${domain.name}`);
    const recipients = [`any@${domain.name}`];
    const id = await aHeld({ recipients, reason: "virus" });
    expect(await releaseQuarantined(ctx, id, ALL)).toEqual({ to: recipients, gone: [] });
  });

  test("succeeds once, also with concurrent releases and deletions", async () => {
    const id = await aHeld();
    const tried = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => releaseQuarantined(ctx, id, ALL)),
      deleteQuarantined(ctx, id, ALL),
    ]);
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of tried)
      if (one.status === "rejected") expect(one.reason).toMatchObject({ reason: "not_found" });
    const wasDeleted = tried.at(-1)!.status === "fulfilled";
    expect(await carried()).toHaveLength(wasDeleted ? 0 : 1);
    expect(await audited()).toHaveLength(1);
  });

  test("fails and keeps the message if no recipient exists anymore", async () => {
    const id = await aHeld();
    await db().execute(sql`delete from addresses where address = ${mailbox}`);
    await expect(releaseQuarantined(ctx, id, ALL)).rejects.toMatchObject({
      reason: "invalid",
      message: `None of the message's recipients exist anymore: ${mailbox}`,
    });
    expect(await held()).toHaveLength(1);
  });

  test("distributes to a group's members, moderated or not", async () => {
    const { address } = await aGroup(domain, {
      members: [mailbox],
      posting: "members",
      moderation: "all",
    });
    const id = await aHeld({ recipients: [address] });
    expect(await releaseQuarantined(ctx, id, ALL)).toEqual({ to: [address], gone: [] });
    expect(await carried()).toMatchObject([
      { message: { origin: "group", groupAddress: address }, recipient: { recipient: mailbox } },
    ]);
    expect(await held()).toEqual([]);
  });

  test("approves a pending group post", async () => {
    const { address } = await aGroup(domain, { members: [mailbox], moderation: "all" });
    const id = await aHeld({ reason: "moderation", recipients: [address] });
    await expect(releaseQuarantined(ctx, id, ["spam"])).rejects.toMatchObject({
      reason: "not_found",
    });
    expect(await releaseQuarantined(ctx, id, ["moderation"])).toEqual({ to: [address], gone: [] });
    expect(await audited()).toMatchObject([{ action: "group.post_approved" }]);
    expect(await carried()).toHaveLength(1);
  });

  test("fails for another company's message", async () => {
    const id = await aHeld();
    const other = aContext((await aCompany()).id);
    for (const act of [releaseQuarantined, deleteQuarantined])
      await expect(act(other, id, ALL)).rejects.toMatchObject({ reason: "not_found" });
    expect(await held()).toHaveLength(1);
  });
});

test("deleting removes the message with its content and is audited", async () => {
  const id = await aHeld({ reason: "virus" });
  await deleteQuarantined(ctx, id, ALL);
  expect(await held()).toEqual([]);
  expect(await db().$count(quarantineContents, eq(quarantineContents.quarantineId, id))).toBe(0);
  expect(await audited()).toMatchObject([
    { action: "quarantine.deleted", details: { reason: "virus", recipients: [mailbox] } },
  ]);
});

test("deleting a pending group post rejects it", async () => {
  const { address } = await aGroup(domain);
  const id = await aHeld({ reason: "moderation", recipients: [address] });
  await deleteQuarantined(ctx, id, ALL);
  expect(await audited()).toMatchObject([{ action: "group.post_rejected" }]);
});

test("deletes messages after 30 days", async () => {
  const old = await aHeld();
  const kept = await aHeld();
  const age = async (id: string, interval: string) =>
    db()
      .update(quarantine)
      .set({ createdAt: sql`now() - ${interval}::interval` })
      .where(eq(quarantine.id, id));
  await age(old, "30 days 1 minute");
  await age(kept, "29 days 23 hours");
  await deleteOldQuarantined(db(), 30);
  expect((await held()).map(({ id }) => id)).toEqual([kept]);
});

test("a suspended mailbox gets released messages", async () => {
  await db()
    .update(mailboxes)
    .set({ suspendedAt: sql`now()` })
    .where(eq(mailboxes.address, mailbox));
  expect(await releaseQuarantined(ctx, await aHeld(), ALL)).toMatchObject({ to: [mailbox] });
});
