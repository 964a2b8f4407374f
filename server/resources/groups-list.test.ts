import { beforeAll, describe, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { aGroupOwner } from "#server/testing/groups.ts";

import { groupsApi } from "./groups.ts";

type Listed = { has_more: boolean; data: { address: string; members: string[] }[] };

let owner: Awaited<ReturnType<typeof aGroupOwner>>;
let second: Awaited<ReturnType<typeof aDomain>>;
/** In both domains, in order. */
let all: string[];

beforeAll(async () => {
  owner = await aGroupOwner(["view_groups"]);
  second = await aDomain(owner.companyId);
  const names = Array.from({ length: 12 }, (_, i) => `g${String(i).padStart(2, "0")}`);
  for (const name of names.toReversed())
    for (const domain of [owner.domain, second])
      await aGroup(domain, {
        address: `${name}@${domain.name}`,
        members: ["b@x.example", "a@x.example"],
      });
  await aMailbox(owner.domain, { address: `g03-mailbox@${owner.domain.name}` });
  const stranger = await aGroupOwner();
  await aGroup(stranger.domain);
  all = names.flatMap((name) => [`${name}@${owner.domain.name}`, `${name}@${second.name}`]).sort();
});

async function page(query: Record<string, string>) {
  const { status, body } = await call(groupsApi.list, { key: owner.key, query });
  expect(status).toBe(200);
  const { data, has_more: hasMore } = body as Listed;
  return { addresses: data.map(({ address }) => address), hasMore };
}

describe("GET /groups", () => {
  test("lists the company's groups by address, 20 by default", async () => {
    expect(await page({})).toEqual({ addresses: all.slice(0, 20), hasMore: true });
    expect(await page({ limit: "100" })).toEqual({ addresses: all, hasMore: false });
  });

  test("returns the same fields as a single group, members in order", async () => {
    const { body } = await call(groupsApi.list, { key: owner.key, query: { limit: "1" } });
    expect(body).toEqual({
      object: "list",
      has_more: true,
      data: [
        {
          object: "group",
          address: all[0],
          name: "",
          active: true,
          members: ["a@x.example", "b@x.example"],
        },
      ],
    });
  });

  test("pages in both directions with addresses in any case as cursors", async () => {
    expect(await page({ limit: "5", after: all[4]!.toUpperCase() })).toEqual({
      addresses: all.slice(5, 10),
      hasMore: true,
    });
    expect(await page({ limit: "5", before: all[10]! })).toEqual({
      addresses: all.slice(5, 10),
      hasMore: true,
    });
    expect(await page({ limit: "5", before: all[3]! })).toEqual({
      addresses: all.slice(0, 3),
      hasMore: false,
    });
    expect(await page({ after: all.at(-1)! })).toEqual({ addresses: [], hasMore: false });
  });

  test("filters by domain, whatever the case", async () => {
    const of = all.filter((address) => address.endsWith(`@${second.name}`));
    expect(await page({ domain: second.name.toUpperCase() })).toEqual({
      addresses: of,
      hasMore: false,
    });
    expect(await page({ domain: second.name, after: of[9]! })).toMatchObject({
      addresses: of.slice(10),
    });
  });

  test.each([
    ["a cursor that is no address", { after: "x" }],
    ["one that is no group", { after: "unknown@example.net" }],
    ["a mailbox as cursor", { after: "g03-mailbox@HERE" }],
    ["a cursor of another domain", { domain: "SECOND", after: "g00@HERE" }],
  ])("rejects %s", async (_, query) => {
    const written = Object.entries(query).map(([name, value]): [string, string] => [
      name,
      value.replace("HERE", owner.domain.name).replace("SECOND", second.name),
    ]);
    expect(await call(groupsApi.list, { key: owner.key, query: written })).toMatchObject({
      status: 422,
      body: { name: "validation_error", message: "Invalid pagination cursor" },
    });
  });

  test("rejects another company's group as a cursor, and domains of others or without verification", async () => {
    const stranger = await aGroupOwner();
    const { address } = await aGroup(stranger.domain);
    const unproven = await aDomain(owner.companyId, { ownershipProvenAt: null });
    const queries: Record<string, string>[] = [
      { after: address },
      { domain: stranger.domain.name },
      { domain: unproven.name },
      { domain: (await aDomain(owner.companyId, { status: "pending" })).name },
      { domain: "" },
      { domain: "not a domain" },
      { limit: "0" },
      { limit: "101" },
      { after: all[0]!, before: all[1]! },
    ];
    for (const query of queries)
      expect(await call(groupsApi.list, { key: owner.key, query })).toMatchObject({
        status: 422,
        body: { name: "validation_error" },
      });
  });

  test("requires View groups", async () => {
    const { key } = await aGroupOwner(["manage_groups"]);
    expect(await call(groupsApi.list, { key })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});
