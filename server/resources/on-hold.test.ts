import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { adminRoles, mailboxes, orgUnits, roles } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";

import { onHoldConsole } from "./on-hold.ts";

async function aMailboxOnHold() {
  const { id: companyId } = await aCompany();
  const { address, orgUnitId } = await aMailbox(await aDomain(companyId), {
    sendingHeldAt: "2026-03-04T10:15:00Z",
  });
  await anAcceptedMessage({
    companyId,
    sender: address,
    isHeld: true,
    clientAddress: "198.51.100.7",
    to: ["a@x.test", "b@x.test", "c@x.test", "d@x.test"],
  });
  const cookie = await aSession(companyId, ["reset_user_passwords"]);
  return { companyId, address, orgUnitId, cookie, params: { mailbox: address } };
}

test("the list shows each mailbox on hold with its messages and their client addresses", async () => {
  const { address, cookie } = await aMailboxOnHold();
  const { status, body } = await callFromPage(onHoldConsole.list, { cookie });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: [
      {
        mailbox: address,
        name: "Ann Example",
        since: "2026-03-04T10:15:00.000Z",
        messages: 1,
        recipients: 4,
        clientAddresses: ["198.51.100.7"],
        sample: [
          { subject: "Greetings", recipients: ["a@x.test", "b@x.test", "c@x.test"], more: 1 },
        ],
      },
    ],
  });
});

test("release returns the number of recipients, and a second decision is rejected", async () => {
  const { cookie, params, address } = await aMailboxOnHold();
  const upper = { mailbox: address.toUpperCase() };
  expect(await callFromPage(onHoldConsole.release, { cookie, params: upper })).toMatchObject({
    status: 200,
    body: { released: 4 },
  });
  for (const endpoint of [onHoldConsole.release, onHoldConsole.containMailbox])
    expect(await callFromPage(endpoint, { cookie, params })).toMatchObject({ status: 422 });
  expect((await callFromPage(onHoldConsole.list, { cookie })).body).toEqual({ data: [] });
});

test("contain returns a temporary password", async () => {
  const { cookie, params, address } = await aMailboxOnHold();
  const { status, body } = await callFromPage(onHoldConsole.containMailbox, { cookie, params });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { temporaryPassword: expect.stringMatching(/^\S{20}$/) as string, dropped: 4 },
  });
  const [mailbox] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  expect(mailbox).toMatchObject({ forcePasswordChange: true, sendingHeldAt: null });
});

const all = [onHoldConsole.list, onHoldConsole.release, onHoldConsole.containMailbox].map(
  (one) => [one.path, one] as const,
);

test.each(all)("%s: 401 without a session, 403 without the privilege", async (_, endpoint) => {
  const { companyId, params } = await aMailboxOnHold();
  expect(await callFromPage(endpoint, { params })).toMatchObject({ status: 401 });
  const cookie = await aSession(companyId, ["view_users", "update_users", "api_controls"]);
  expect(await callFromPage(endpoint, { params, cookie })).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

test("another company's mailbox is not found and not listed", async () => {
  const { params } = await aMailboxOnHold();
  const cookie = await aSession((await aCompany()).id, ["reset_user_passwords"]);
  for (const endpoint of [onHoldConsole.release, onHoldConsole.containMailbox])
    expect(await callFromPage(endpoint, { params, cookie })).toMatchObject({ status: 404 });
  expect((await callFromPage(onHoldConsole.list, { cookie })).body).toEqual({ data: [] });
});

test("a privilege limited to one unit covers only that unit's mailboxes", async () => {
  const { companyId, orgUnitId, params } = await aMailboxOnHold();
  const [other] = await db()
    .insert(orgUnits)
    .values({ companyId, parentId: orgUnitId, name: "Other" })
    .returning();
  const helpDeskSession = async (unit: number) => {
    const admin = await anAdmin(companyId);
    const privileges = ["reset_user_passwords"];
    const [role] = await db()
      .insert(roles)
      .values({ companyId, name: "Help desk", privileges, orgUnitId: unit })
      .returning();
    await db().insert(adminRoles).values({ adminId: admin.id, roleId: role!.id });
    return (await startSession(db(), admin.id)).split(";")[0]!;
  };
  const otherUnit = await helpDeskSession(other!.id);
  expect((await callFromPage(onHoldConsole.list, { cookie: otherUnit })).body).toEqual({
    data: [],
  });
  for (const endpoint of [onHoldConsole.release, onHoldConsole.containMailbox])
    expect(await callFromPage(endpoint, { params, cookie: otherUnit })).toMatchObject({
      status: 403,
    });
  const cookie = await helpDeskSession(orgUnitId);
  expect((await callFromPage(onHoldConsole.list, { cookie })).body).toMatchObject({ data: [{}] });
  expect(await callFromPage(onHoldConsole.release, { params, cookie })).toMatchObject({
    status: 200,
  });
});
