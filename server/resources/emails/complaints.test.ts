import { expect, test } from "vitest";

import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aDeliveredEmail } from "#server/testing/delivered-emails.ts";
import { anApiKey } from "#server/testing/factories.ts";
import { aDsn, anArfReport } from "#server/testing/feedback.ts";
import { aSender } from "#server/testing/queued-emails.ts";

import { emailsApi } from "./api.ts";

test("complaints and late bounces count in metrics; only the bounce is in the history", async () => {
  const sender = await aSender();
  const { token: key } = await anApiKey(sender.companyId);
  const complained = await aDeliveredEmail(sender, "ann@there.test");
  const bounced = await aDeliveredEmail(sender, "bob@there.test");
  await aDeliveredEmail(sender, "eve@there.test");
  const take = (emailId: string, message: Buffer) =>
    handleIncoming(db(), { kind: "email", emailId }, message, () => Promise.resolve(true));
  await take(complained, anArfReport({}));
  await take(bounced, aDsn([{ recipient: "bob@there.test" }]));

  const { body } = await call(emailsApi.getMetrics, { key });
  expect(body).toMatchObject({
    totals: { sent: 3, delivered: 3, complained: 1, bounced: 1 },
  });
  const typesOf = async (id: string) => {
    const { body } = await call(emailsApi.listEvents, { key, params: { id } });
    return (body as { data: { type: string }[] }).data.map(({ type }) => type);
  };
  expect(await typesOf(complained)).toEqual(["email.sent", "email.delivered"]);
  expect((await typesOf(bounced)).at(-1)).toBe("email.bounced");
});
