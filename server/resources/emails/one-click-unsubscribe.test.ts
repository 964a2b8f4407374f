import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";

import { emailBodies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, emailsOf, withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";

import { emailsApi } from "./api.ts";

beforeAll(withoutRates);

const AUTO = { "List-Unsubscribe": "auto" };

async function headersAfter(
  sender: Awaited<ReturnType<typeof anApiSender>>,
  changes: object,
): Promise<Record<string, string>> {
  const body = { ...sender.email, ...changes };
  const answer = await call(emailsApi.send, { key: sender.key, body });
  expect(answer).toMatchObject({ status: 200 });
  const { id } = answer.body as { id: string };
  const [stored] = await db().select().from(emailBodies).where(eq(emailBodies.emailId, id));
  return stored!.headers;
}

test("auto is accepted for exactly one recipient, however often the email names it", async () => {
  const sender = await anApiSender();
  expect(await headersAfter(sender, { headers: AUTO })).toEqual(AUTO);
  const twice = { to: ["bob@example.org", "Bob@example.org"], bcc: "bob@example.org" };
  expect(await headersAfter(sender, { ...twice, headers: AUTO })).toEqual(AUTO);
});

test.each([
  ["two in to", { to: ["bob@example.org", "eve@example.org"] }],
  ["one in cc", { cc: "eve@example.org" }],
  ["one in bcc", { bcc: "eve@example.org" }],
])("auto with another recipient is an error: %s", async (_, recipients) => {
  const { key, email, companyId } = await anApiSender();
  const body = { ...email, ...recipients, headers: { "list-unsubscribe": " AUTO " } };
  expect(await call(emailsApi.send, { key, body })).toMatchObject({
    status: 422,
    body: {
      name: "validation_error",
      message: expect.stringMatching(/exactly one recipient/) as string,
    },
  });
  expect(await call(emailsApi.sendBatch, { key, body: [email, body] })).toMatchObject({
    status: 422,
    body: {
      message: expect.stringMatching(
        /^Email at index 1: headers: List-Unsubscribe: auto/,
      ) as string,
    },
  });
  expect(await emailsOf(companyId)).toBe(0);
});

test("a domain's setting adds auto to emails with one recipient and no List-Unsubscribe", async () => {
  const sender = await anApiSender({}, { oneClickUnsubscribe: true });
  expect(await headersAfter(sender, { headers: { "X-A": "1" } })).toEqual({ "X-A": "1", ...AUTO });
  const soon = { scheduled_at: "in 1 hour" };
  expect(await headersAfter(sender, soon)).toEqual(AUTO);
  const own = { "list-unsubscribe": "<mailto:stop@a.example>" };
  expect(await headersAfter(sender, { headers: own })).toEqual(own);
  expect(await headersAfter(sender, { cc: "eve@example.org" })).toEqual({});
});
