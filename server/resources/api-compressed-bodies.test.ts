import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { emailsApi } from "./emails/api.ts";
import { webhooksApi } from "./webhooks/api.ts";

test.each(["gzip", "br", "GZIP, deflate", "x-unknown"])(
  "every endpoint rejects a body with content-encoding %j with 415",
  async (encoding) => {
    const { token: key } = await anApiKey((await aCompany()).id);
    const headers = { "content-encoding": encoding };
    const rawBody = gzipSync(JSON.stringify({}));
    for (const endpoint of [emailsApi.send, webhooksApi.create])
      expect(await call(endpoint, { key, headers, rawBody })).toMatchObject({
        status: 415,
        body: {
          statusCode: 415,
          name: "validation_error",
          message:
            "Compressed request bodies are not supported. Send the body without Content-Encoding",
        },
      });
  },
);

test("accepts content-encoding identity", async () => {
  const { token: key } = await anApiKey((await aCompany()).id);
  const headers = { "content-encoding": "identity" };
  expect(await call(emailsApi.send, { key, headers, body: {} })).toMatchObject({ status: 422 });
});
