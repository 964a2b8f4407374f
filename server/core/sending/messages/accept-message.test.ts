import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { messageRecipients } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";

test("accepts a message to more recipients than a statement has parameters", async () => {
  const { id: companyId } = await aCompany();
  const to = Array.from({ length: 12_000 }, (_, i) => `m${i}@x.test`);

  const id = await anAcceptedMessage({ companyId, origin: "group", to });

  const kept = await db()
    .select({ recipient: messageRecipients.recipient })
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id))
    .orderBy(messageRecipients.id);
  expect(kept.map(({ recipient }) => recipient)).toEqual(to);
});
