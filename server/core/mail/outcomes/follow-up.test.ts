import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { messageRecipients, messages } from "#drizzle/schema/index.ts";
import {
  listSuspendedForwards,
  resumeForwards,
} from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { FAILURES_MAX } from "#server/core/sending/messages/messages.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import { suspendForwards } from "./record-message-outcomes.ts";

/** A forward that failed permanently, with its target spelled this way. */
async function aFailedForward(companyId: string, mailbox: string, target: string) {
  const given = { companyId, mailbox, sender: mailbox, origin: "forward" as const };
  const id = await anAcceptedMessage({ ...given, to: [target] });
  const [row] = await db()
    .update(messageRecipients)
    .set({ state: "bounced" })
    .where(eq(messageRecipients.messageId, id))
    .returning();
  const [message] = await db().select().from(messages).where(eq(messages.id, id));
  return { ...row, rowId: String(row!.id), message } as unknown as RecipientResult;
}

test("suspends and resumes an address regardless of case", async () => {
  const { id: companyId } = await aCompany();
  const { address: mailbox } = await aMailbox(await aDomain(companyId));
  const spellings = ["Bob.Lee@there.test", "bob.lee@there.test"];
  let suspended = new Set<string>();
  for (let i = 0; i < FAILURES_MAX; i++)
    suspended = await suspendForwards(db(), [
      await aFailedForward(companyId, mailbox, spellings[i % 2]!),
    ]);
  expect(suspended.size).toBe(1);
  const recompiles = await db().execute(
    sql`select from graphile_worker.jobs where key = ${`refresh_forwards:${mailbox}`}`,
  );
  expect(recompiles).toHaveLength(1);

  const ctx = aContext(companyId);
  const listed = await listSuspendedForwards(ctx, mailbox);
  expect(listed.map(({ target }) => target)).toEqual(["bob.lee@there.test"]);
  expect(await resumeForwards(ctx, mailbox, ["Bob.Lee@there.test"])).toBe(1);
});
