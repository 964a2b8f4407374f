import { expect, test } from "vitest";

import { mailboxSessions, sessions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";

import { deleteExpiredSessions } from "./sessions.ts";

test("deletes only expired sessions, of admins and mailboxes", async () => {
  const { id: companyId } = await aCompany();
  const admin = await anAdmin(companyId);
  const mailbox = await aMailbox(await aDomain(companyId));
  const [over, goesOn] = [-1, 1].map((minutes) => new Date(Date.now() + minutes * 60_000));
  for (const [id, expiresAt] of Object.entries({ over: over!, "goes on": goesOn! })) {
    await db().insert(sessions).values({ id, userId: admin.id, expiresAt });
    await db().insert(mailboxSessions).values({ id, userId: mailbox.address, expiresAt });
  }

  await deleteExpiredSessions(db());

  for (const table of [sessions, mailboxSessions])
    expect((await db().select({ id: table.id }).from(table)).map(({ id }) => id)).toEqual([
      "goes on",
    ]);
});
