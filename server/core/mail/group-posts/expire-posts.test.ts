import { randomUUID } from "node:crypto";

import { eq, like, sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { messageContents, messageRecipients, messages, quarantine } from "#drizzle/schema/index.ts";
import { deleteOldQuarantined } from "#server/core/mail/quarantine/quarantine.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup } from "#server/testing/factories.ts";
import { auditOf } from "#server/testing/groups.ts";
import { aPost } from "#server/testing/posts.ts";

import { postToGroup } from "./post-to-group.ts";

const OURS = randomUUID();
const isHere = (group: string) => sql`${group} = any(${quarantine.recipients})`;

beforeAll(() => aCompany({ id: OURS }));
beforeEach(() => db().delete(messages));

test.each([
  ["a verified author", {}, "ann@outside.example"],
  [
    "a verified author with another return path",
    { sender: "b@lists.example" },
    "ann@outside.example",
  ],
  [
    "an author who signed in",
    { author: { companyId: OURS }, isFromVerified: false, sender: "bob@shop.example" },
    "bob@shop.example",
  ],
  ["no one if the author may be forged", { isFromVerified: false }, null],
])(
  "deletes a pending post that no moderator decided on, audits it, and sends a bounce to %s",
  async (_, given, told) => {
    const domain = await aDomain(OURS);
    const members = ["mia@outside.example"];
    const { address } = await aGroup(domain, { members, moderation: "all" });
    expect(await postToGroup(db(), address, aPost(given))).toEqual({ kind: "held" });
    await expire(address);
    expect(await db().$count(quarantine, isHere(address))).toBe(0);
    expect((await auditOf(OURS)).at(-1)).toMatchObject({
      action: "group.post_expired",
      group: address,
    });
    const sent = await bounces();
    expect(sent.map((row) => row.message_recipients.recipient)).toEqual(
      told === null ? [] : [told],
    );
    for (const row of sent)
      expect(row.message_contents.content.toString()).toContain(
        "No moderator approved the message",
      );
  },
);

test.each([
  ["bare line ends", "X-Odd: a\rb\nc"],
  ["a header that is cut within a line end", `X-Long: ${"x".repeat(64 * 1024 - 9)}`],
])(
  "returns the header of an expired post with %s in lines that servers accept",
  async (_, field) => {
    const domain = await aDomain(OURS);
    const { address } = await aGroup(domain, {
      members: ["mia@outside.example"],
      moderation: "all",
    });
    await postToGroup(db(), address, aPost({ fields: [field] }));
    await expire(address);
    const [bounce] = await bounces();
    const { content } = bounce!.message_contents;
    expect(/\r(?!\n)|(?<!\r)\n/.test(content.toString("latin1"))).toBe(false);
    expect(content.length).toBeLessThan(70 * 1024);
  },
);

async function expire(group: string): Promise<void> {
  await db()
    .update(quarantine)
    .set({ createdAt: sql`now() - interval '31 days'` })
    .where(isHere(group));
  await deleteOldQuarantined(db(), 30);
}

const bounces = () =>
  db()
    .select()
    .from(messages)
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .innerJoin(messageContents, eq(messageContents.messageId, messages.id))
    .where(like(messages.subject, "Not delivered%"));
