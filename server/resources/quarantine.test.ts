import { randomUUID } from "node:crypto";

import { beforeEach, expect, test } from "vitest";

import type { Privilege } from "#server/universal/privileges.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";

import { quarantineConsole } from "./quarantine.ts";

const ofMessages = [quarantineConsole.get, quarantineConsole.release, quarantineConsole.delete].map(
  (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint as AnyEndpoint] as const,
);
const all = [...ofMessages, ["the list", quarantineConsole.list as AnyEndpoint] as const];

let companyId: string;
let mailbox: string;
let group: string;

beforeEach(async () => {
  companyId = (await aCompany()).id;
  const domain = await aDomain(companyId);
  mailbox = (await aMailbox(domain)).address;
  group = (await aGroup(domain, { members: [mailbox] })).address;
});

async function aQuarantined(reason: "spam" | "virus" | "moderation" = "spam"): Promise<string> {
  const { id } = await quarantineMessage(db(), {
    companyId,
    reason,
    sender: "eve@example.org",
    headerFrom: "Eve",
    subject: "Win",
    recipients: [reason === "moderation" ? group : mailbox],
    clientAddress: "198.51.100.7",
    score: 12.5,
    findings: ["BAYES_SPAM"],
    content: Buffer.from("From: eve@example.org\r\nSubject: Win\r\n\r\nWin!\r\n"),
  });
  return id;
}

const sessionWith = (...privileges: Privilege[]) => aSession(companyId, privileges);
const listed = async (cookie: string, query: Record<string, string> = {}) => {
  const { body } = await callFromPage(quarantineConsole.list, { cookie, query });
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
};

test.each(all)("%s: 401 without a session", async (_, endpoint) => {
  const params = { id: await aQuarantined() };
  expect(await callFromPage(endpoint, { params })).toMatchObject({ status: 401 });
});

test.each(all)("%s: 403 without the privilege", async (_, endpoint) => {
  const params = { id: await aQuarantined() };
  const cookie = await sessionWith("view_users", "manage_settings", "view_groups");
  expect(await callFromPage(endpoint, { cookie, params })).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

test.each(ofMessages)("%s: another company's message is not found", async (_, endpoint) => {
  const id = await aQuarantined();
  const cookie = await aSession((await aCompany()).id, ["update_users", "manage_groups"]);
  expect(await callFromPage(endpoint, { cookie, params: { id } })).toMatchObject({
    status: 404,
    body: { message: "Message not found in quarantine" },
  });
  expect(await listed(await sessionWith("update_users"))).toEqual([id]);
});

test.each(ofMessages)(
  "%s: the privilege for mailboxes doesn't cover group posts, nor the reverse",
  async (_, endpoint) => {
    for (const [reason, privilege] of [
      ["spam", "manage_groups"],
      ["virus", "manage_groups"],
      ["moderation", "update_users"],
    ] as const) {
      const params = { id: await aQuarantined(reason) };
      expect(
        await callFromPage(endpoint, { cookie: await sessionWith(privilege), params }),
      ).toMatchObject({
        status: 404,
      });
    }
  },
);

test.each(ofMessages)("%s: 404 for an unknown or malformed ID", async (_, endpoint) => {
  const cookie = await sessionWith("update_users");
  for (const id of [randomUUID(), "x"])
    expect(await callFromPage(endpoint, { cookie, params: { id } })).toMatchObject({
      status: 404,
      body: { message: "Message not found in quarantine" },
    });
});

test("the list shows the messages the admin may decide on, and filters them", async () => {
  const [spam, virus, post] = [
    await aQuarantined(),
    await aQuarantined("virus"),
    await aQuarantined("moderation"),
  ];
  expect(await listed(await sessionWith("update_users"))).toEqual([virus, spam]);
  expect(await listed(await sessionWith("manage_groups"))).toEqual([post]);
  const both = await sessionWith("update_users", "manage_groups");
  expect(await listed(both)).toEqual([post, virus, spam]);
  expect(await listed(both, { reason: "virus" })).toEqual([virus]);
  expect(await listed(await sessionWith("manage_groups"), { reason: "spam" })).toEqual([]);
  expect(await listed(both, { search: "EVE@" })).toEqual([post, virus, spam]);
  expect(await listed(both, { search: group })).toEqual([post]);
  expect(await listed(both, { search: "" })).toEqual([post, virus, spam]);
});

test("a message is retrieved, released once, and then gone", async () => {
  const cookie = await sessionWith("update_users");
  const params = { id: await aQuarantined() };
  expect(await callFromPage(quarantineConsole.get, { cookie, params })).toMatchObject({
    status: 200,
    body: {
      reason: "spam",
      from: "Eve",
      recipients: [mailbox],
      score: 12.5,
      findings: ["BAYES_SPAM"],
      clientAddress: "198.51.100.7",
      text: "Win!",
      isCut: false,
    },
  });
  expect(await callFromPage(quarantineConsole.release, { cookie, params })).toMatchObject({
    status: 200,
    body: { releasedTo: [mailbox], gone: [] },
  });
  for (const endpoint of [
    quarantineConsole.get,
    quarantineConsole.release,
    quarantineConsole.delete,
  ])
    expect((await callFromPage(endpoint, { cookie, params })).status).toBe(404);
});

test("a message is deleted", async () => {
  const cookie = await sessionWith("manage_groups");
  const params = { id: await aQuarantined("moderation") };
  expect(await callFromPage(quarantineConsole.delete, { cookie, params })).toMatchObject({
    status: 200,
    body: { id: params.id },
  });
  expect(await listed(cookie)).toEqual([]);
});
