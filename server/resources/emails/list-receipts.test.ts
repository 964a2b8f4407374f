import { beforeAll, expect, test } from "vitest";

import { emailEvents } from "#drizzle/schema/index.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";
import { verifyReceipts } from "#server/core/sending/receipts/receipts.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";
import { receiptsApi } from "./receipts.ts";

let id: string;
let key: string;

beforeAll(async () => {
  const { id: companyId } = await aCompany();
  ({ token: key } = await anApiKey(companyId));
  const { name } = await aDomain(companyId);
  const body = {
    from: `Shop <a@${name}>`,
    to: ["ann@there.test", "ben@there.test", "cat@there.test"],
    subject: "Hello",
    text: "Hi",
  };
  ({ id } = (await call(emailsApi.send, { key, body })).body as { id: string });
  const delivered = { emailId: id, companyId, type: "delivered" as const, dsn: "2.0.0" };
  await db()
    .insert(emailEvents)
    .values([
      {
        ...delivered,
        recipient: "ann@there.test",
        message: "250 ok",
        tls: "dane valid TLSv1.3 AES",
        server: "mx.there.test",
        serverAddress: "203.0.113.5",
        messageHash: Buffer.alloc(32, 171),
      },
      { ...delivered, type: "bounced", recipient: "cat@there.test", dsn: "5.1.1" },
      { ...delivered, recipient: "ben@there.test" },
    ]);
});

const list = (query: Record<string, string> = {}, emailId = id, apiKey = key) =>
  call(receiptsApi.list, { key: apiKey, params: { id: emailId }, query });

test("lists a signed receipt for each recipient that the email was delivered to", async () => {
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: "list",
    has_more: false,
    data: [
      {
        object: "receipt",
        email_id: id,
        recipient: "ann@there.test",
        message_id: expect.stringContaining(id) as string,
        message_sha256: "ab".repeat(32),
        server: { name: "mx.there.test", address: "203.0.113.5" },
        tls: { version: "TLSv1.3", cipher: "AES" },
        status: "2.0.0",
        reply: "250 ok",
      },
      { recipient: "ben@there.test", message_sha256: null, server: null, tls: null },
    ],
  });
  const verified = verifyReceipts(JSON.stringify(body), signingKeys());
  expect(verified.map(({ problem }) => problem)).toEqual([null, null]);
});

test("pages through them", async () => {
  const first = (await list({ limit: "1" })).body as { has_more: boolean; data: { id: string }[] };
  expect(first.has_more).toBe(true);
  const rest = (await list({ after: first.data[0]!.id })).body as typeof first;
  expect(rest).toMatchObject({ has_more: false, data: [{ recipient: "ben@there.test" }] });
});

test("another company's key gets a 404", async () => {
  const { token } = await anApiKey((await aCompany()).id);
  expect(await list({}, id, token)).toMatchObject({ status: 404 });
});
