import { afterAll, beforeAll, expect, test } from "vitest";

import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

test("publishes the key of receipts, and nothing of the private one", async () => {
  const answer = await web.ask("/.well-known/posthouse-receipts.json");
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.headers).toMatchObject({ "content-type": "application/jwk-set+json" });
  const { keys } = JSON.parse(answer.text) as ReturnType<typeof signingKeys>;
  expect(keys).toEqual(signingKeys().keys);
  expect(Object.keys(keys[0]!).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
});
