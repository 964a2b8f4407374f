import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { receivedEmails } from "#drizzle/schema/index.ts";
import { aContext } from "#server/testing/factories.ts";
import { aSender } from "#server/testing/queued-emails.ts";
import { aReceivedEmail } from "#server/testing/received-emails.ts";

import { checkReceivingLimits, ReceivingEstimate } from "./receiving-limits.ts";

test("an estimate adds up a company's storage at most every five seconds", async () => {
  const domain = await aSender();
  const ctx = aContext(domain.companyId);
  let time = 0;
  const estimate = new ReceivingEstimate({ now: () => time });
  expect(await estimate.findError(ctx)).toBeNull();
  const id = await aReceivedEmail(domain);
  await ctx.db
    .update(receivedEmails)
    .set({ size: 1024 ** 3 })
    .where(eq(receivedEmails.id, id));
  expect(await checkReceivingLimits(ctx)).toMatchObject({ error: { enhancedCode: "4.2.2" } });
  time = 4_900;
  expect(await estimate.findError(ctx)).toBeNull();
  time = 5_100;
  expect(await estimate.findError(ctx)).toMatchObject({ enhancedCode: "4.2.2" });
});
