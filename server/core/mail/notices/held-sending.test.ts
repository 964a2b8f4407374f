import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";

import {
  adminRoles,
  emailBodies,
  emails,
  mailboxes,
  orgUnits,
  roles,
} from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";

import { sendNotice } from "./send-notice.ts";

const reset = ["reset_user_passwords" as const];

test("owners and admins who can reset the mailbox's password are notified once while it's on hold", async () => {
  const { id: companyId } = await aCompany({ name: "Northwind" });
  const mailbox = await aMailbox(await aDomain(companyId), {
    sendingHeldAt: "2026-03-04T10:15:00Z",
  });
  const { address, orgUnitId } = mailbox;
  await anAcceptedMessage({
    companyId,
    sender: address,
    isHeld: true,
    to: ["a@x.test", "b@x.test"],
  });
  const [other] = await db()
    .insert(orgUnits)
    .values({ companyId, parentId: orgUnitId, name: "Other" })
    .returning();
  const keeper = async (unit: number) => {
    const admin = await anAdmin(companyId);
    const [role] = await db()
      .insert(roles)
      .values({ companyId, name: "Help desk", privileges: reset, orgUnitId: unit })
      .returning();
    await db().insert(adminRoles).values({ adminId: admin.id, roleId: role!.id });
    return admin;
  };
  const told = [
    await anAdmin(companyId, { isOwner: true }),
    await anAdmin(companyId, { privileges: reset }),
    await keeper(orgUnitId),
  ];
  await keeper(other!.id);
  await anAdmin(companyId, { privileges: ["api_controls"] });
  await anAdmin(companyId, { isOwner: true, disabledAt: "2026-03-04T10:15:00Z" });
  await anAdmin((await aCompany()).id, { isOwner: true });

  const notice = { kind: "sending_held" as const, mailbox: address, isSpam: false };
  const job = { id: uuidv7(), companyId, notice };
  await sendNotice(db(), job);
  await sendNotice(db(), job);

  const sent = await db()
    .select({ to: emails.to, subject: emails.subject, text: emailBodies.text })
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id));
  expect(sent.map(({ to }) => to[0]).sort()).toEqual(told.map(({ email }) => email).sort());
  expect(sent[0]!.subject).toBe(`Mail from ${address} is on hold: the mailbox may be compromised`);
  expect(sent[0]!.text).toContain("many new recipients from a network");
  expect(sent[0]!.text).toContain("Since March 4, 2026 at 10:15 UTC");
  expect(sent[0]!.text).toContain("1 message to 2 recipients");
  expect(sent[0]!.text).toContain("/console/on-hold");

  await db()
    .update(mailboxes)
    .set({ sendingHeldAt: null })
    .where(sql`address = ${address}`);
  await sendNotice(db(), { ...job, id: uuidv7() });
  expect(await db().$count(emails)).toBe(3);
});
