import { afterAll, beforeAll, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { groupsConsole } from "./groups.ts";

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());

test("typing errors in members at the company's own domains are rejected", async () => {
  const companyId = (await aCompany()).id;
  const cookie = await aSession(companyId, ["manage_groups"]);
  const domain = await aDomain(companyId, { name: "shop.example" });
  await aMailbox(domain, { address: "ann@shop.example" });
  await anAlias(domain, "ann@shop.example", "sales@shop.example");
  const { address: group } = await aGroup(domain);
  const add = (...added: string[]) =>
    call(groupsConsole.changeMembers, { cookie, params: { address: group }, body: { add: added } });
  const rejected = {
    status: 422,
    body: { fields: [{ path: "add[1]", message: "is not an address of your company" }] },
  };
  expect(await add("ann@shop.example", "anm@Shop.example")).toMatchObject(rejected);
  const known = ["Ann@shop.example", "ann+news@shop.example", "sales@shop.example"];
  expect(await add(...known, "zoe@far.example")).toMatchObject({ status: 200 });
  await aDomain(companyId, { name: "sending-only.example" });
  expect(await add("ann@sending-only.example")).toMatchObject({ status: 200 });
  const body = { address: "typo@shop.example", name: "", members: ["anm@shop.example"] };
  expect(await call(groupsConsole.create, { cookie, body })).toMatchObject({
    status: 422,
    body: { fields: [{ path: "members[0]" }] },
  });

  // The same check while typing, without a change.
  const written = ["ann@shop.example", " Anm@Shop.example ", "lou", "anm@sending-only.example"];
  const check = { cookie, body: { addresses: written } };
  expect((await call(groupsConsole.checkAddresses, check)).body).toEqual({ unknown: [written[1]] });
  const stranger = await aSession((await aCompany()).id, ["manage_groups"]);
  expect((await call(groupsConsole.checkAddresses, { ...check, cookie: stranger })).body).toEqual({
    unknown: [],
  });
  const viewer = await aSession(companyId, ["view_groups"]);
  expect((await call(groupsConsole.checkAddresses, { ...check, cookie: viewer })).status).toBe(403);
});
