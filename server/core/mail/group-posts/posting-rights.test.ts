import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, test } from "vitest";

import type { Group } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { aPost, reached } from "#server/testing/posts.ts";

import type { Post } from "#server/core/mail/group-posts/post.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";

const OURS = randomUUID();
const THEIRS = randomUUID();
const NESTED = "nested@shop.example";
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeAll(async () => {
  await aCompany({ id: OURS });
  await aCompany({ id: THEIRS });
  domain = await aDomain(OURS, { name: "shop.example" });
  await aDomain(THEIRS, { name: "rival.example" });
  for (const name of ["ann", "bob", "eve"])
    await aMailbox(domain, { address: `${name}@shop.example` });
  await anAlias(domain, "ann@shop.example", "sales@shop.example");
  await aGroup(domain, { address: NESTED, members: ["bob@shop.example", "team@shop.example"] });
  // A cycle.
  await aGroup(domain, { address: "team@shop.example", members: [NESTED] });
});

const verified = (from: string | null) => ({ from, isFromVerified: true });
const unverified = (from: string) => ({ from, isFromVerified: false });
const signedIn = (from: string | null, companyId = OURS) => ({
  from,
  isFromVerified: false,
  author: { companyId },
});

/** Senders, and whether each posting rule [company, members, listed] accepts them, also unauthenticated. */
const senders: [string, Partial<Post>, string][] = [
  ["a member outside", verified("mia@outside.example"), "    members         "],
  ["a member outside, unverified", unverified("mia@outside.example"), "                stranger"],
  ["a member with a mailbox", verified("ann@shop.example"), "company members listed"],
  ["her alias", verified("sales@shop.example"), "company members listed"],
  ["her tag", verified("ann+x@shop.example"), "company members listed"],
  ["her address, unverified", unverified("ann@shop.example"), "                stranger"],
  ["her, signed in", signedIn("ann@shop.example"), "company members listed"],
  ["a member through a nested group", verified("bob@shop.example"), "company members"],
  ["the nested group itself", signedIn(NESTED), "company members"],
  ["the group itself", signedIn("team@shop.example"), "company members"],
  ["a colleague", verified("eve@shop.example"), "company stranger"],
  ["a colleague, signed in", signedIn("eve@shop.example"), "company stranger"],
  ["an unassigned address of the company", verified("none@shop.example"), "company stranger"],
  ["the company with no From", signedIn(null), "company stranger"],
  ["the company with an outside address", signedIn("mia@outside.example"), "company stranger"],
  ["a listed address", verified("lou@listed.example"), "listed stranger"],
  ["a listed address, unverified", unverified("lou@listed.example"), "stranger"],
  ["another address there", verified("pat@listed.example"), "stranger"],
  ["any address of a listed domain", verified("any@partner.example"), "listed stranger"],
  ["a domain below it", verified("any@sub.partner.example"), "stranger"],
  ["a domain that ends like it", verified("any@notpartner.example"), "stranger"],
  ["an outside address", verified("x@elsewhere.example"), "stranger"],
  ["another company's", verified("x@rival.example"), "stranger"],
  ["another company with a member's address", signedIn("ann@shop.example", THEIRS), "stranger"],
  ["several or no From", verified(null), "stranger"],
];

const members = ["ann@shop.example", "mia@outside.example", NESTED];
const posters = ["sales+a@shop.example", "lou@listed.example", "@partner.example"];

let count = 0;
const aTeam = (settings: Partial<Group>) =>
  aGroup(domain, { address: `team${++count}@shop.example`, members, posters, ...settings });

async function post(settings: Partial<Group>, sender: Partial<Post>) {
  const { address } = await aTeam(settings);
  const from = sender.from === "team@shop.example" ? address : (sender.from ?? null);
  return { address, posted: await postToGroup(db(), address, aPost({ ...sender, from })) };
}

describe.each(senders)("%s", (_, sender, rules) => {
  const allowed = new Set(["anyone", ...rules.trim().split(/\s+/)]);

  test.each(["anyone", "company", "members", "listed"] as const)("%s", async (posting) => {
    const { address, posted } = await post({ posting }, sender);

    expect(posted.kind).toBe(allowed.has(posting) ? "distributed" : "refused");
    if (posted.kind !== "refused") return;
    expect(posted.enhancedCode).toBe("5.7.2");
    expect(posted.text).toMatch(/^[\x20-\x7e]+$/);
    for (const member of [...members, ...posters]) expect(posted.text).not.toContain(member);
    expect(await reached(address)).toEqual([]);
  });

  test.each([
    ["none", false],
    ["strangers", allowed.has("stranger")],
    ["all", true],
  ] as const)("moderated: %s", async (moderation, isHeld) => {
    const { posted } = await post({ moderation }, sender);
    expect(posted.kind).toBe(isHeld ? "held" : "distributed");
  });
});

test("the error for a member's forged address is the same as for any other", async () => {
  const { address } = await aTeam({ posting: "members" });
  const [forged, unknown] = await Promise.all(
    ["ann@shop.example", "x@elsewhere.example"].map((from) =>
      postToGroup(db(), address, aPost(unverified(from))),
    ),
  );
  expect(forged).toEqual(unknown);
  expect(forged).toMatchObject({
    text: expect.stringContaining("could not be verified") as string,
  });
});
