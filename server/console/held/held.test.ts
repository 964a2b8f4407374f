import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { adminRoles, mailboxes, orgUnits, roles } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";

import { containMailbox } from "./contain-mailbox.ts";
import { listHeld } from "./list-held.ts";
import { releaseHeld } from "./release-held.ts";

async function aHeldMailbox() {
  const { id: companyId } = await aCompany();
  const { address, orgUnitId } = await aMailbox(await aDomain(companyId), {
    sendingHeldAt: "2026-03-04T10:15:00Z",
  });
  await anAcceptedMessage({
    ...{ companyId, sender: address, isHeld: true, clientAddress: "198.51.100.7" },
    to: ["a@x.test", "b@x.test", "c@x.test", "d@x.test"],
  });
  const cookie = await aSession(companyId, ["reset_user_passwords"]);
  return { companyId, address, orgUnitId, cookie, params: { mailbox: address } };
}

test("the list shows mailboxes that are held, with what waits and where it came from", async () => {
  const { address, cookie } = await aHeldMailbox();
  const { status, body } = await callFromPage(listHeld, { cookie });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: [
      {
        ...{ mailbox: address, name: "Ann Example", since: "2026-03-04T10:15:00.000Z" },
        ...{ messages: 1, recipients: 4, client_addresses: ["198.51.100.7"] },
        sample: [
          { subject: "Greetings", recipients: ["a@x.test", "b@x.test", "c@x.test"], more: 1 },
        ],
      },
    ],
  });
});

test("released once, with the number of recipients; then it is not held any more", async () => {
  const { cookie, params, address } = await aHeldMailbox();
  const upper = { mailbox: address.toUpperCase() };
  expect(await callFromPage(releaseHeld, { cookie, params: upper })).toMatchObject({
    ...{ status: 200, body: { released: 4 } },
  });
  for (const endpoint of [releaseHeld, containMailbox])
    expect(await callFromPage(endpoint, { cookie, params })).toMatchObject({ status: 422 });
  expect((await callFromPage(listHeld, { cookie })).body).toEqual({ data: [] });
});

test("contained, with the temporary password", async () => {
  const { cookie, params, address } = await aHeldMailbox();
  const { status, body } = await callFromPage(containMailbox, { cookie, params });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { temporary_password: expect.stringMatching(/^\S{20}$/) as string, dropped: 4 },
  });
  const [mailbox] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  expect(mailbox).toMatchObject({ forcePasswordChange: true, sendingHeldAt: null });
});

const all = [listHeld, releaseHeld, containMailbox].map((one) => [one.path, one] as const);

test.each(all)("%s: nobody signed in is 401, without the privilege 403", async (_, endpoint) => {
  const { companyId, params } = await aHeldMailbox();
  expect(await callFromPage(endpoint, { params })).toMatchObject({ status: 401 });
  const cookie = await aSession(companyId, ["view_users", "update_users", "api_controls"]);
  expect(await callFromPage(endpoint, { params, cookie })).toMatchObject({
    ...{ status: 403, body: { name: "invalid_permission" } },
  });
});

test("another company's mailbox does not exist, and is not in the list", async () => {
  const { params } = await aHeldMailbox();
  const cookie = await aSession((await aCompany()).id, ["reset_user_passwords"]);
  for (const endpoint of [releaseHeld, containMailbox])
    expect(await callFromPage(endpoint, { params, cookie })).toMatchObject({ status: 404 });
  expect((await callFromPage(listHeld, { cookie })).body).toEqual({ data: [] });
});

test("who holds the privilege in one unit sees and changes the mailboxes of that unit", async () => {
  const { companyId, orgUnitId, params } = await aHeldMailbox();
  const [other] = await db()
    .insert(orgUnits)
    .values({ companyId, parentId: orgUnitId, name: "Other" })
    .returning();
  const helper = async (unit: number) => {
    const admin = await anAdmin(companyId);
    const privileges = ["reset_user_passwords"];
    const [role] = await db()
      .insert(roles)
      .values({ companyId, name: "Help desk", privileges, orgUnitId: unit })
      .returning();
    await db().insert(adminRoles).values({ adminId: admin.id, roleId: role!.id });
    return (await startSession(db(), admin.id)).split(";")[0]!;
  };
  const stranger = await helper(other!.id);
  expect((await callFromPage(listHeld, { cookie: stranger })).body).toEqual({ data: [] });
  for (const endpoint of [releaseHeld, containMailbox])
    expect(await callFromPage(endpoint, { params, cookie: stranger })).toMatchObject({
      status: 403,
    });
  const cookie = await helper(orgUnitId);
  expect((await callFromPage(listHeld, { cookie })).body).toMatchObject({ data: [{}] });
  expect(await callFromPage(releaseHeld, { params, cookie })).toMatchObject({ status: 200 });
});
