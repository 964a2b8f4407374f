import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { groupMembers, messages, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { releaseQuarantined } from "#server/core/mail/quarantine/release-quarantined.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
} from "#server/testing/factories.ts";
import { auditOf } from "#server/testing/groups.ts";
import { aPost, copiesOf, reached } from "#server/testing/posts.ts";

import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import { approvePost, notifyModerators, rejectPost, removePendingPost } from "./moderation.ts";
import { decodePendingPost } from "./post.ts";
import { postApproved, postToGroup } from "./post-to-group.ts";
import { postToOwners } from "./post-to-owners.ts";

const OURS = randomUUID();
const MEMBERS = ["ann@shop.example", "mia@outside.example"];
let domain: Awaited<ReturnType<typeof aDomain>>;
let ctx: Context;

beforeAll(async () => {
  await aCompany({ id: OURS });
  domain = await aDomain(OURS, { name: "shop.example" });
  await aMailbox(domain, { address: "ann@shop.example" });
  await aMailbox(domain, { address: "bob@shop.example" });
  await anAlias(domain, "bob@shop.example", "mod@shop.example");
  await anAdmin(OURS, { isOwner: true, email: "boss@outside.example" });
  await anAdmin(OURS, { isOwner: true, email: "ann+console@shop.example" });
  await anAdmin(OURS, {
    isOwner: true,
    email: "left@x.example",
    disabledAt: new Date().toISOString(),
  });
  await anAdmin(OURS, { email: "clerk@x.example" });
  const { id: adminId } = await anAdmin(OURS, { email: "judge@shop.example" });
  ctx = { ...aContext(OURS), actor: { kind: "admin", adminId, email: "judge@shop.example" } };
});
beforeEach(() => db().delete(messages));

const aModerated = (settings: Parameters<typeof aGroup>[1] = {}) =>
  aGroup(domain, { members: MEMBERS, moderation: "all", ...settings });

const held = (group: string) =>
  db()
    .select()
    .from(quarantine)
    .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
    .where(sql`${group} = any(${quarantine.recipients})`)
    .orderBy(quarantine.createdAt);

async function aHeldPost(settings?: Parameters<typeof aGroup>[1], post = aPost()) {
  const { address } = await aModerated(settings);
  expect(await postToGroup(db(), address, post)).toEqual({ kind: "held" });
  const [row] = await held(address);
  return { address, post, id: row!.quarantine.id };
}

/** The notices about a group as moderators read them. */
async function noticesOf(group: string) {
  const reports = (await copiesOf(group)).filter(({ origin }) => origin === "report");
  return Promise.all(
    reports.map(async (report) => ({
      ...report,
      read: await simpleParser(report.content, { skipHtmlToText: true }),
    })),
  );
}

/** When the job that notifies the moderators runs; null without one. */
async function plannedFor(group: string): Promise<Date | null> {
  const [job] = await db().execute<{ runAt: string }>(sql`
    select run_at as "runAt" from graphile_worker.jobs where key = ${`tell_moderators:${group}`}`);
  return job ? new Date(job.runAt) : null;
}

test("a pending post is stored whole and not delivered", async () => {
  const post = aPost({ isFromVerified: false });
  const { address } = await aHeldPost({}, post);

  const [{ quarantine: row, quarantine_contents: kept }] = (await held(address)) as [
    Awaited<ReturnType<typeof held>>[number],
  ];
  expect(row).toMatchObject({
    companyId: OURS,
    reason: "moderation",
    sender: post.sender,
    recipients: [address],
    headerFrom: "Ann <ann@outside.example>",
    subject: "Grüße",
    clientAddress: "192.0.2.1",
    findings: ["The sender could not be verified"],
  });
  expect(kept.content.toString("latin1").endsWith(post.message.raw.toString("latin1"))).toBe(true);
  expect(await copiesOf(address)).toEqual([]);
});

test("the same post is pending once", async () => {
  const { address, post } = await aHeldPost();
  await Promise.all([1, 2, 3].map(() => postToGroup(db(), address, post)));
  expect(await held(address)).toHaveLength(1);
});

test("the same post doesn't notify moderators again", async () => {
  const { address, post } = await aHeldPost();
  await db().execute(sql`delete from graphile_worker._private_jobs`);
  await postToGroup(db(), address, post);
  expect(await plannedFor(address)).toBeNull();
});

describe("approval", () => {
  test("distributes once, also with concurrent approvals, and is audited", async () => {
    const { address, id } = await aHeldPost();
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => approvePost(ctx, id)));

    expect(answers.map(({ status }) => status).sort()).toEqual([
      "fulfilled",
      ...Array<string>(3).fill("rejected"),
    ]);
    await expect(approvePost(ctx, id)).rejects.toMatchObject({ reason: "not_found" });
    await expect(rejectPost(ctx, id)).rejects.toMatchObject({ reason: "not_found" });
    expect(await reached(address)).toEqual(MEMBERS);
    expect(await held(address)).toEqual([]);
    expect((await auditOf(OURS)).filter(({ group }) => group === address)).toEqual([
      {
        actor: "judge@shop.example",
        action: "group.post_approved",
        group: address,
        sender: "ann@outside.example",
        from: "Ann <ann@outside.example>",
        subject: "Grüße",
      },
    ]);
  });

  test("sends the original without our stored field", async () => {
    const fields = ["X-Posthouse-Post: author=none; verified=yes"];
    const { address, id, post } = await aHeldPost({}, aPost({ fields }));
    await approvePost(ctx, id);
    const [here, outside] = await copiesOf(address);
    expect(here!.text.endsWith(`Precedence: list\r\n${post.message.raw.toString("latin1")}`)).toBe(
      true,
    );
    expect(outside!.text).not.toContain("X-Posthouse");
  });

  test("the same post again stays distributed", async () => {
    const { address, id, post } = await aHeldPost();
    await approvePost(ctx, id);
    expect(await postToGroup(db(), address, post)).toEqual({ kind: "distributed", recipients: 2 });
    expect(await held(address)).toEqual([]);
    expect(await reached(address)).toEqual(MEMBERS);
  });

  test("a concurrent retry of the post waits and doesn't queue it again", async () => {
    const { address, id, post } = await aHeldPost();
    const { again } = await db().transaction(async (tx) => {
      const { held: row, content } = await removePendingPost({ ...ctx, db: tx }, id);
      const group = (await findGroup(tx, address))!;
      await postApproved(tx, {
        group,
        id,
        post: decodePendingPost({ ...row, message: new Message(content) }),
      });
      const again = postToGroup(db(), address, post);
      await untilBlocked();
      return { again };
    });
    expect(await again).toEqual({ kind: "distributed", recipients: 2 });
    expect(await held(address)).toEqual([]);
  });

  test("signs for the domain of an author who had signed in", async () => {
    const from = "bob@shop.example";
    const mine = aPost({ from, isFromVerified: false, author: { companyId: OURS } });
    const forged = aPost({
      from,
      isFromVerified: false,
      fields: [`X-Posthouse-Post: author=${OURS}; verified=yes`],
    });
    for (const [post, signingDomainId] of [
      [mine, domain.id],
      [forged, null],
    ] as const) {
      const { address, id } = await aHeldPost({}, post);
      await approvePost(ctx, id);
      expect((await copiesOf(address)).at(-1)).toMatchObject({ signingDomainId });
    }
  });

  test("fails and keeps the message if the group has no members anymore", async () => {
    const { address, id } = await aHeldPost();
    await db().delete(groupMembers).where(eq(groupMembers.groupAddress, address));
    await expect(approvePost(ctx, id)).rejects.toMatchObject({ reason: "invalid" });
    expect(await held(address)).toHaveLength(1);
    const spam = {
      ...(await held(address))[0]!.quarantine,
      reason: "spam",
      id: randomUUID(),
    } as const;
    await quarantineMessage(db(), { ...spam, content: aPost().message.raw });
    await expect(releaseQuarantined(ctx, spam.id, ["spam"])).rejects.toMatchObject({
      reason: "invalid",
    });
    expect(await held(address)).toHaveLength(2);
  });

  test("fails and keeps the message if the group was deleted", async () => {
    const { address, id } = await aHeldPost();
    await db().execute(sql`delete from addresses where address = ${address}`);
    await expect(approvePost(ctx, id)).rejects.toMatchObject({ reason: "invalid" });
    expect(await held(address)).toHaveLength(1);
    await rejectPost(ctx, id);
    expect(await held(address)).toEqual([]);
  });
});

test("identical bytes are another post after the time in which senders retry", async () => {
  const { address } = await aModerated({ moderation: "none" });
  const moderated = (await aModerated()).address;
  const abuse = "abuse@shop.example";
  const repeatsForMs = 600_000;
  const post = aPost({ id: "the same bytes", repeatsForMs });
  const send = async () => [
    await postToGroup(db(), address, post),
    await postToGroup(db(), moderated, post),
    await postToOwners(db(), OURS, abuse, post),
  ];
  const counts = async () => [
    (await copiesOf(address)).length,
    (await held(moderated)).length,
    (await copiesOf(abuse)).length,
  ];
  const at = Math.ceil(Date.now() / repeatsForMs) * repeatsForMs;
  vi.useFakeTimers({ toFake: ["Date"], now: at - 1 });
  try {
    await send();
    vi.setSystemTime(at + 1);
    expect((await send()).map(({ kind }) => kind)).toEqual(["distributed", "held", "distributed"]);
    expect(await counts()).toEqual([2, 1, 2]);
    await db()
      .update(messages)
      .set({ createdAt: sql`now() - interval '11 minutes'` });
    await db()
      .update(quarantine)
      .set({ createdAt: sql`now() - interval '11 minutes'` });
    await send();
    expect(await counts()).toEqual([4, 2, 4]);
  } finally {
    vi.useRealTimers();
  }
});

test("a rejection deletes the message and is audited", async () => {
  const { address, id } = await aHeldPost();
  await rejectPost(ctx, id);

  await expect(approvePost(ctx, id)).rejects.toMatchObject({ reason: "not_found" });
  expect(await copiesOf(address)).toEqual([]);
  expect((await auditOf(OURS)).at(-1)).toMatchObject({
    action: "group.post_rejected",
    group: address,
    actor: "judge@shop.example",
  });
});

test("returns not_found for other companies' posts, spam and invalid ids", async () => {
  const { address, id } = await aHeldPost();
  const other = aContext((await aCompany()).id);
  const spam = await quarantineMessage(db(), {
    companyId: OURS,
    reason: "spam",
    sender: "",
    recipients: [address],
    headerFrom: "",
    subject: "",
    clientAddress: null,
    score: 9,
    findings: [],
    content: Buffer.from("x"),
  });
  const tries: [Context, string][] = [
    [other, id],
    [ctx, spam.id],
    [ctx, randomUUID()],
    [ctx, "x"],
  ];
  for (const decide of [approvePost, rejectPost])
    for (const [who, what] of tries)
      await expect(decide(who, what)).rejects.toMatchObject({ reason: "not_found" });
  expect(await held(address)).toHaveLength(2);
});

describe("moderators", () => {
  test("are notified immediately of pending posts, with a link", async () => {
    const { address } = await aModerated({ moderators: ["ann@shop.example", "mod@shop.example"] });
    await postToGroup(db(), address, aPost());
    await postToGroup(db(), address, aPost({ from: "zoe@outside.example" }));
    expect((await plannedFor(address))!.getTime()).toBeLessThanOrEqual(Date.now());

    await Promise.all([notifyModerators(db(), address), notifyModerators(db(), address)]);

    const [notice, ...more] = await noticesOf(address);
    expect(more).toEqual([]);
    expect(notice).toMatchObject({
      companyId: OURS,
      origin: "report",
      sender: "",
      isSenderTold: false,
      signingDomainId: domain.id,
      recipients: ["ann@shop.example", "mod@shop.example"],
    });
    const { headers, from, to, subject, text } = notice!.read;
    expect(subject).toBe(`Messages to ${address} are waiting for your approval`);
    expect([from?.text, [to].flat()[0]?.text]).toEqual([
      '"Posthouse" <postmaster@shop.example>',
      "ann@shop.example, mod@shop.example",
    ]);
    expect(headers.get("auto-submitted")).toBe("auto-generated");
    for (const part of ["ann@outside.example", "zoe@outside.example", "Grüße", address])
      expect(text).toContain(part);
    expect(text).toContain(`${config().baseUrl}/console/quarantine`);
  });

  test("get at most one notice in 15 minutes, about all pending posts", async () => {
    const { address } = await aHeldPost({ moderators: ["ann@shop.example"] });
    await notifyModerators(db(), address);
    await postToGroup(db(), address, aPost({ from: "late@outside.example" }));

    const until = (await plannedFor(address))!.getTime() - Date.now();
    expect(until).toBeGreaterThan(14 * 60_000);
    expect(until).toBeLessThanOrEqual(15 * 60_000);
    await notifyModerators(db(), address);
    expect(await noticesOf(address)).toHaveLength(1);

    await db()
      .update(messages)
      .set({ createdAt: sql`now() - interval '15 minutes 1 second'` });
    await notifyModerators(db(), address);
    const all = await noticesOf(address);
    expect(all).toHaveLength(2);
    expect(all[1]!.read.text).toContain("late@outside.example");
  });

  test("are notified immediately even if a post was just distributed", async () => {
    const { address, id } = await aHeldPost();
    await approvePost(ctx, id);
    await postToGroup(db(), address, aPost());
    expect((await plannedFor(address))!.getTime()).toBeLessThanOrEqual(Date.now());
  });

  test("of other groups are notified independently", async () => {
    for (const { address } of [await aHeldPost(), await aHeldPost()]) {
      await notifyModerators(db(), address);
      expect(await noticesOf(address)).toHaveLength(1);
    }
  });

  test.each([
    ["without any", []],
    ["whose mailbox is gone", ["gone@shop.example"]],
  ])("are the company's owners if the group's moderators %s", async (_, moderators) => {
    const { address } = await aHeldPost({ moderators });
    await notifyModerators(db(), address);
    expect((await noticesOf(address))[0]!.recipients).toEqual([
      "ann+console@shop.example",
      "boss@outside.example",
    ]);
  });

  test("aren't notified if nothing is pending or the group was deleted", async () => {
    const { address, id } = await aHeldPost();
    await rejectPost(ctx, id);
    await notifyModerators(db(), address);
    await notifyModerators(db(), "none@shop.example");
    expect(await noticesOf(address)).toEqual([]);
  });

  test("see at most ten posts, with truncated text", async () => {
    const { address } = await aModerated();
    const subject = `Subject: ${"x".repeat(5_000)}`;
    for (let i = 0; i < 11; i++)
      await postToGroup(db(), address, aPost({ content: `${subject}${i}\r\n\r\nHi`, from: null }));
    await notifyModerators(db(), address);
    const [notice] = await noticesOf(address);
    expect(notice!.read.text!.match(/^Subject: x+…$/gm)).toHaveLength(10);
    expect(notice!.read.text).toContain("There are more.");
    expect(notice!.size).toBeLessThan(10_000);
    for (const line of notice!.text.split("\r\n")) expect(line.length).toBeLessThan(200);
  });
});
