import { randomUUID } from "node:crypto";

import { beforeAll, expect, test } from "vitest";

import { domainFindings } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aDomain,
  aGroup,
  aMailbox,
  anAlias,
  anInboundAddress,
} from "#server/testing/factories.ts";
import { aPost, copiesOf } from "#server/testing/posts.ts";

import { postToGroup } from "./post-to-group.ts";

// Members that are inbound addresses, or covered only by a catch-all.

const OURS = randomUUID();
type Domain = Awaited<ReturnType<typeof aDomain>>;
let domain: Domain;

beforeAll(async () => {
  await aCompany({ id: OURS });
  domain = await aDomain(OURS, { name: "shop.example" });
  await aMailbox(domain, { address: "ann@shop.example" });
});

async function aCatchAll({ isHosted }: { isHosted: boolean }) {
  const caught = await aDomain(OURS);
  await anInboundAddress(caught, `*@${caught.name}`);
  const finding = { domainId: caught.id, record: "mx" as const, isVerified: isHosted };
  await db()
    .insert(domainFindings)
    .values({ ...finding, checkedAt: new Date().toISOString() });
  return caught;
}

test.each([
  ["here while the MX points here", true],
  ["outside while the MX points elsewhere", false],
])("an address covered only by a catch-all is %s", async (_, isHosted) => {
  const member = `bob@${(await aCatchAll({ isHosted })).name}`;
  const { address } = await aGroup(domain, { members: ["ann@shop.example", member] });
  await postToGroup(db(), address, aPost());
  const copies = (await copiesOf(address)).map(({ recipients }) => recipients);
  expect(copies).toEqual(
    isHosted ? [["ann@shop.example", member].toSorted()] : [["ann@shop.example"], [member]],
  );
});

test("members that are inbound addresses, or covered only by a catch-all, can post", async () => {
  const inbound = await anInboundAddress(domain, "in@shop.example");
  const caught = `bob@${(await aCatchAll({ isHosted: true })).name}`;
  const members = [inbound, caught, "mia@outside.example", "ann@shop.example"];
  const { address } = await aGroup(domain, { members, posting: "members" });
  for (const from of members)
    expect(await postToGroup(db(), address, aPost({ from }))).toMatchObject({
      kind: "distributed",
    });
  expect(await postToGroup(db(), address, aPost({ from: "eve@shop.example" }))).toMatchObject({
    kind: "refused",
  });
});

test("addresses covered only by a member's catch-all can't post, unless they are members", async () => {
  const caught = await aCatchAllOf("ann@shop.example");
  const { address } = await aGroup(domain, {
    members: ["ann@shop.example", `bob@${caught}`],
    posting: "members",
  });
  for (const [name, kind] of [
    ["bob", "distributed"],
    ["eve", "refused"],
  ] as const)
    expect(await postToGroup(db(), address, aPost({ from: `${name}@${caught}` }))).toMatchObject({
      kind,
    });
});

async function aCatchAllOf(mailbox: string): Promise<string> {
  const caught = await aDomain(OURS);
  await anAlias(caught, mailbox, `*@${caught.name}`);
  const finding = { domainId: caught.id, record: "mx" as const, isVerified: true };
  await db()
    .insert(domainFindings)
    .values({ ...finding, checkedAt: new Date().toISOString() });
  return caught.name;
}
