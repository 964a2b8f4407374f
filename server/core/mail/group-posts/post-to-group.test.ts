import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { type ARCData, arc, dkimVerify } from "mailauth";
import { beforeAll, describe, expect, test } from "vitest";

import {
  dkimKeys,
  domainFindings,
  groupMembers,
  groups,
  groupUnits,
  messages,
  quarantine,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAlias,
  anInboundAddress,
} from "#server/testing/factories.ts";
import { aPost, copiesOf, reached } from "#server/testing/posts.ts";

import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import type { Db } from "#server/db/client.ts";
import { releaseQuarantined } from "#server/core/mail/quarantine/release-quarantined.ts";
import { deriveId } from "#server/core/shared/derive-id.ts";
import { Message } from "#server/core/shared/mime/message.ts";

import { decodePendingPost, type Post } from "./post.ts";
import { postApproved, postToGroup } from "./post-to-group.ts";

type Domain = Awaited<ReturnType<typeof aDomain>>;

const OURS = randomUUID();
let domain: Domain;
let rival: Domain;

beforeAll(async () => {
  await aCompany({ id: OURS });
  domain = await aDomain(OURS, { name: "shop.example" });
  rival = await aDomain((await aCompany()).id, { name: "rival.example" });
  await db()
    .insert(domainFindings)
    .values({ domainId: rival.id, record: "mx", isVerified: true, checkedAt: "2026-01-01" });
  await aMailbox(domain, { address: "ann@shop.example" });
  await aMailbox(domain, { address: "bob@shop.example", suspendedAt: new Date().toISOString() });
  await aMailbox(rival, { address: "rita@rival.example" });
  await anAlias(domain, "ann@shop.example", "sales@shop.example");
});

const keptFor = (group: string) =>
  db()
    .select()
    .from(quarantine)
    .where(sql`${group} = any(${quarantine.recipients})`);
const aTeam = (members: string[], settings: Parameters<typeof aGroup>[1] = {}) =>
  aGroup(domain, { members, ...settings });
/** Distributes a post as `postToGroup` does, within a transaction. */
const distributeIn = async (tx: Db, address: string, post: Post) =>
  postApproved(tx, {
    group: (await findGroup(tx, address))!,
    post,
    id: deriveId(post.id, address),
  });
const MIXED = ["ann@shop.example", "mia@outside.example", "rita@rival.example"];

describe("copies for members", () => {
  test("one message for local members and one for external members", async () => {
    const { address } = await aTeam(["sales@shop.example", "bob@shop.example", ...MIXED], {
      name: "Our team",
    });
    const post = aPost();

    expect(await postToGroup(db(), address.toUpperCase(), post)).toEqual({
      kind: "distributed",
      recipients: 4,
    });

    const [here, outside, ...more] = await copiesOf(address);
    expect(more).toEqual([]);
    expect(here!.recipients).toEqual([
      "ann@shop.example",
      "bob@shop.example",
      "rita@rival.example",
    ]);
    expect(outside!.recipients).toEqual(["mia@outside.example"]);
    for (const copy of [here, outside]) {
      expect(copy).toMatchObject({
        companyId: OURS,
        origin: "group",
        mailbox: null,
        groupAddress: address,
        sender: post.sender,
        isSenderTold: false,
        signingDomainId: null,
        headerFrom: "Ann <ann@outside.example>",
        subject: "Grüße",
        messageId: "<1@outside.example>",
        clientAddress: "192.0.2.1",
      });
      expect(copy!.text).toContain(`List-Id: Our team <${address.replace("@", ".")}>\r\n`);
      expect(copy!.text.endsWith(post.message.raw.toString("latin1"))).toBe(true);
    }
  });

  test("an inbound address is a local member", async () => {
    const inbound = await anInboundAddress(domain, "in@shop.example");
    const { address } = await aTeam([inbound, "in+7@shop.example", "mia@outside.example"]);
    await postToGroup(db(), address, aPost());
    const [here] = await copiesOf(address);
    expect(here!.recipients).toEqual(["in+7@shop.example", inbound].toSorted());
  });

  test("includes the author as a member, at the listed address", async () => {
    const { address } = await aTeam(["ann+team@shop.example", "bob@shop.example"]);
    await postToGroup(db(), address, aPost({ from: "ann@shop.example" }));
    expect(await reached(address)).toEqual(["ann+team@shop.example", "bob@shop.example"]);
  });

  test("a member in a local domain without a mailbox, whose MX may be elsewhere", async () => {
    const { address } = await aTeam(["elsewhere@shop.example", "ann@shop.example"]);
    await postToGroup(db(), address, aPost());
    expect(await reached(address)).toEqual(["ann@shop.example", "elsewhere@shop.example"]);
  });

  test("discards mail to a group without members, and rejects it if its units are empty", async () => {
    const { address } = await aTeam([], { moderation: "all" });
    expect(await postToGroup(db(), address, aPost())).toEqual({
      kind: "discarded",
      reason: "the group has no members",
    });
    const orgUnitId = await createUnit(aContext(OURS), { parentId: null, name: "Empty" });
    await db().insert(groupUnits).values({ groupAddress: address, orgUnitId });
    expect(await postToGroup(db(), address, aPost())).toEqual({
      kind: "refused",
      enhancedCode: "5.2.1",
      text: "This group has no members",
    });
    expect(await copiesOf(address)).toEqual([]);
  });

  test("rejects unknown addresses, disabled groups and mailboxes", async () => {
    const off = await aTeam(MIXED, { active: false });
    for (const address of [off.address, "none@shop.example", "ann@shop.example"])
      expect(await postToGroup(db(), address, aPost())).toMatchObject({
        kind: "refused",
        enhancedCode: "5.1.1",
      });
  });

  test.each([["ann@shop.example"], ["mia@outside.example"]])("only %s", async (member) => {
    const { address } = await aTeam([member]);
    expect(await postToGroup(db(), address, aPost())).toMatchObject({ recipients: 1 });
    expect((await copiesOf(address)).map(({ recipients }) => recipients)).toEqual([[member]]);
  });

  test("files spam in Junk here, quarantines it for external members, and sends it to all after approval", async () => {
    const junk = () => aPost({ fields: ["X-Posthouse-Junk: yes"] });
    const mixed = await aTeam(MIXED);
    for (const post of [junk(), junk()]) await postToGroup(db(), mixed.address, post);
    const here = ["ann@shop.example", "rita@rival.example"];
    expect(await reached(mixed.address)).toEqual([...here, ...here].toSorted());
    const parts = await keptFor(mixed.address);
    expect(parts).toHaveLength(2);
    await releaseQuarantined(aContext(OURS), parts[0]!.id, ["spam"]);
    expect(await reached(mixed.address)).toEqual(
      [...here, ...here, "mia@outside.example"].toSorted(),
    );

    const away = await aTeam(["mia@outside.example"]);
    const post = junk();
    expect(await postToGroup(db(), away.address, post)).toEqual({ kind: "held" });
    expect(await postToGroup(db(), away.address, post)).toEqual({ kind: "held" });
    expect(await keptFor(away.address)).toMatchObject([
      { companyId: OURS, reason: "spam", sender: post.sender },
    ]);
    expect(await reached(away.address)).toEqual([]);

    const group = (await findGroup(db(), away.address))!;
    await postApproved(db(), { group, post, id: randomUUID() });
    const [copy] = await copiesOf(away.address);
    expect(copy).toMatchObject({ recipients: ["mia@outside.example"] });
    expect(copy!.text).not.toContain("X-Posthouse");
  });

  test("replies go to the group if configured", async () => {
    const { address } = await aTeam(MIXED, { replies: "group" });
    await postToGroup(db(), address, aPost({ fields: ["Reply-To: other@outside.example"] }));
    for (const { text } of await copiesOf(address))
      expect(text.match(/^Reply-To: .*$/gm)).toEqual([`Reply-To: ${address}`]);
  });
});

describe("copies that leave the appliance", () => {
  const OWN_RESULTS = () =>
    `Authentication-Results: ${config().hostname};\r\n\tspf=pass; dkim=none; arc=none`;

  async function arcOf(message: Buffer) {
    const [key] = await db().select().from(dkimKeys).where(eq(dkimKeys.domainId, domain.id));
    const resolver = () => Promise.resolve([[`v=DKIM1; k=rsa; p=${key!.publicKey}`]]);
    const verified = await dkimVerify(message, { resolver });
    return (await arc(verified.arc as ARCData, { resolver })).status.result;
  }

  test("are sealed with ARC by the group's domain, without our own header fields", async () => {
    const { address } = await aTeam(MIXED, { replies: "group" });
    const fields = ["X-Posthouse-Spam: 3 SYM", OWN_RESULTS()];
    await postToGroup(db(), address, aPost({ fields }));

    const [here, outside] = await copiesOf(address);
    expect(outside!.text).toMatch(/^ARC-Seal: i=1; .* d=shop\.example;/);
    expect(outside!.text).not.toContain("X-Posthouse");
    expect(await arcOf(outside!.content)).toBe("pass");
    expect(here!.text).not.toContain("ARC-");
    expect(here!.text).toContain("X-Posthouse-Spam: 3 SYM");
  });

  test("are signed by a signed-in author's domain, without sealing forged results", async () => {
    const { address } = await aTeam(MIXED);
    const author = { companyId: OURS };
    const post = aPost({ from: "ann@shop.example", author, fields: [OWN_RESULTS()] });
    await postToGroup(db(), address, post);

    const [here, outside] = await copiesOf(address);
    expect(outside).toMatchObject({ signingDomainId: domain.id });
    expect(here).toMatchObject({ signingDomainId: null });
    expect(outside!.text).not.toContain("ARC-");
  });

  test("aren't signed for another company's domain", async () => {
    const { address } = await aTeam(MIXED);
    const author = { companyId: rival.companyId };
    await postToGroup(db(), address, aPost({ from: "ann@shop.example", author }));
    for (const copy of await copiesOf(address)) expect(copy.signingDomainId).toBeNull();
  });
});

describe("groups in groups", () => {
  test("nested groups of the company don't check posting rules again", async () => {
    const inner = await aTeam(["ann@shop.example", "tom@outside.example"], {
      posting: "members",
      moderation: "all",
      replies: "group",
    });
    const { address } = await aTeam([inner.address, "sales@shop.example", "tom@outside.example"]);
    await db().insert(groupMembers).values({ groupAddress: inner.address, member: address });

    expect(await postToGroup(db(), address, aPost())).toMatchObject({ recipients: 2 });
    expect(await reached(address)).toEqual(["sales@shop.example", "tom@outside.example"]);
    expect(await copiesOf(inner.address)).toEqual([]);
  });

  test("another company's group is a recipient, checks its own rules and gets looping mail once", async () => {
    const { address } = await aTeam(["ann@shop.example"]);
    const open = await aGroup(rival, { members: ["rita@rival.example", address] });
    const closed = await aGroup(rival, { members: ["rita@rival.example"], posting: "members" });
    const all = [open.address, closed.address].map((member) => ({ groupAddress: address, member }));
    await db().insert(groupMembers).values(all);
    const post = aPost();

    expect(await postToGroup(db(), address, post)).toEqual({ kind: "distributed", recipients: 3 });
    await postToGroup(db(), address, post);

    const theirGroups = [open.address, closed.address].toSorted();
    expect(await reached(address)).toEqual(["ann@shop.example", ...theirGroups].toSorted());
    const copy = (await copiesOf(address)).find(({ recipients }) => recipients.length === 2)!;
    const given = decodePendingPost({
      ...copy,
      message: new Message(copy.content),
      clientAddress: null,
    });
    expect(given).toMatchObject({ isFromVerified: true, sender: post.sender });
    expect(await postToGroup(db(), open.address, given)).toMatchObject({ kind: "distributed" });
    expect(await postToGroup(db(), closed.address, given)).toMatchObject({ enhancedCode: "5.7.2" });
    const theirs = (await copiesOf(open.address)).find(({ recipients }) =>
      recipients.includes("rita@rival.example"),
    );
    const back = (await copiesOf(open.address)).find(({ recipients }) =>
      recipients.includes(address),
    )!;
    expect(
      await postToGroup(
        db(),
        address,
        decodePendingPost({ ...back, message: new Message(back.content), clientAddress: null }),
      ),
    ).toMatchObject({ enhancedCode: "5.4.6" });
    expect(theirs!.companyId).toBe(rival.companyId);
    expect(theirs!.text.match(/^List-Id: .*$/gm)).toEqual([
      `List-Id: <${open.address.replace("@", ".")}>`,
    ]);
    expect(theirs!.text.match(/^Delivered-To: .*$/gm)).toEqual([
      `Delivered-To: ${open.address}`,
      `Delivered-To: ${address}`,
    ]);
  });
});

describe("loops", () => {
  const team = { address: "loop@shop.example", members: MIXED };
  const ID = "List-Id: Any name\r\n <loop.shop.example>";
  beforeAll(() => aGroup(domain, team));

  test.each([
    ["our list's id", [ID]],
    ["our list's id in capitals", ["List-ID: <LOOP.shop.EXAMPLE>"]],
    ["delivered here before", ["Delivered-To: x@y.example", "Delivered-To: Loop@shop.example"]],
    ["X-Loop", ["X-Loop: <loop@shop.example>"]],
    ["51 servers passed", Array<string>(51).fill("Received: from a by b; x")],
  ])("rejects: %s", async (_, fields) => {
    expect(await postToGroup(db(), team.address, aPost({ fields }))).toMatchObject({
      kind: "refused",
      enhancedCode: "5.4.6",
    });
  });

  test("rejects a copy that comes back", async () => {
    const { address } = await aTeam(MIXED);
    await postToGroup(db(), address, aPost());
    for (const { content } of await copiesOf(address))
      expect(await postToGroup(db(), address, aPost({ content }))).toMatchObject({
        enhancedCode: "5.4.6",
      });
  });

  test.each([
    ["50 servers passed", Array<string>(50).fill("Received: from a by b; x")],
    ["another list", ["List-Id: <loop.shop.example.net>", "X-Loop: other@shop.example"]],
    ["a program's own message", ["Auto-Submitted: auto-generated"]],
    ["a person's", ["Auto-Submitted: no", "Precedence: bulk"]],
  ])("does not reject: %s", async (_, fields) => {
    expect(await postToGroup(db(), team.address, aPost({ fields }))).toMatchObject({
      kind: "distributed",
    });
  });

  test.each([
    ["mail without a sender", "", []],
    ["a vacation reply", undefined, ["Auto-Submitted: auto-replied (vacation)"]],
    ["the same, in capitals", undefined, ["AUTO-SUBMITTED: Auto-Replied"]],
    ["a notification of a rule", undefined, ["Auto-Submitted: auto-notified; owner-email=x"]],
    ["an old autoresponder", undefined, ["Precedence: auto_reply"]],
    ["another one", undefined, ["X-Autoreply: yes"]],
  ])("discards %s, whatever the posting rules", async (_, sender, fields) => {
    const { address } = await aTeam(MIXED, { moderation: "all", posting: "members" });
    const post = aPost({ fields, ...(sender !== undefined && { sender }) });
    expect(await postToGroup(db(), address, post)).toMatchObject({ kind: "discarded" });
    expect(await copiesOf(address)).toEqual([]);
  });
});

describe("the same post again", () => {
  test("is idempotent, also concurrently and after member changes", async () => {
    const { address } = await aTeam(MIXED);
    const post = aPost();
    const distributed = { kind: "distributed", recipients: 3 };

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => postToGroup(db(), address, post)),
    );
    await db().insert(groupMembers).values({ groupAddress: address, member: "bob@shop.example" });
    answers.push(await postToGroup(db(), address, post));

    expect(answers).toEqual(answers.map(() => distributed));
    expect(await reached(address)).toEqual(MIXED);
    expect(await db().$count(messages, eq(messages.groupAddress, address))).toBe(2);
  });

  test("treats IDs as opaque and scopes them to the group", async () => {
    const [one, two] = [await aTeam(MIXED), await aTeam(MIXED)];
    for (const id of ["0198c0de-1 team", "0198c0de-2 team", randomUUID()])
      for (const { address } of [one, two, one]) await postToGroup(db(), address, aPost({ id }));
    for (const { address } of [one, two]) expect(await reached(address)).toHaveLength(9);
  });

  test("waits for a concurrent first run, even if members change meanwhile", async () => {
    const { address } = await aTeam(["ann@shop.example"]);
    const post = aPost();
    const first = await db().transaction(async (tx) => {
      await distributeIn(tx, address, post);
      await db().insert(groupMembers).values({ groupAddress: address, member: "x@out.example" });
      const second = postToGroup(db(), address, post);
      await untilBlocked();
      return { second };
    });
    expect(await first.second).toEqual({ kind: "distributed", recipients: 1 });
    expect(await reached(address)).toEqual(["ann@shop.example"]);
  });

  test("stays distributed even if the group would now reject it", async () => {
    const { address } = await aTeam(MIXED);
    const post = aPost();
    await postToGroup(db(), address, post);
    await db().update(groups).set({ posting: "members" }).where(eq(groups.address, address));
    expect(await postToGroup(db(), address, post)).toMatchObject({ kind: "distributed" });
  });

  test("is atomic: a failure leaves neither message", async () => {
    const { address } = await aTeam(MIXED);
    const post = aPost();
    await expect(
      db().transaction(async (tx) => {
        await distributeIn(tx, address, post);
        throw new Error("crash");
      }),
    ).rejects.toThrow("crash");
    expect(await copiesOf(address)).toEqual([]);

    await postToGroup(db(), address, post);
    expect(await reached(address)).toEqual(MIXED);
  });
});

test("rejects posts to a deleted group; queued copies are still delivered", async () => {
  const { address } = await aTeam(MIXED);
  await postToGroup(db(), address, aPost());
  await db().delete(groups).where(eq(groups.address, address));
  expect(await postToGroup(db(), address, aPost())).toMatchObject({ enhancedCode: "5.1.1" });
  expect(await reached(address)).toEqual(MIXED);
});
