import { expect, test } from "vitest";

import { readSigningKeys } from "#server/core/shared/signatures/jws.ts";
import { signingKeys } from "#server/core/shared/signatures/signing-key.ts";

import { type ReceiptClaims, signReceipt, verifyReceipts } from "./receipts.ts";

const CLAIMS: ReceiptClaims = {
  issuer: "https://mail.example.test",
  email_id: "01900000-0000-7000-8000-000000000000",
  message_id: "<1@shop.test>",
  message_sha256: "ab".repeat(32),
  from: "Shop <hello@shop.test>",
  recipient: "ben@there.test",
  sent_at: "2026-11-27T10:00:00.000Z",
  delivered_at: "2026-11-27T10:00:01.000Z",
  server: { name: "mx.there.test", address: "203.0.113.5" },
  tls: { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" },
  status: "2.0.0",
  reply: "250 2.0.0 ok",
};

const receipt = (changes: object = {}) => ({
  object: "receipt",
  id: "7",
  ...CLAIMS,
  ...changes,
  signature: signReceipt(CLAIMS),
});

const verify = (file: unknown, keys = signingKeys()) =>
  verifyReceipts(typeof file === "string" ? file : JSON.stringify(file), keys);

test.each([
  ["an answer of the API", { object: "list", has_more: false, data: [receipt()] }],
  ["a list", [receipt()]],
  ["one receipt", receipt()],
  ["a signature alone", `${signReceipt(CLAIMS)}\n`],
])("verifies %s", (_, file) => {
  expect(verify(file)).toEqual([{ claims: CLAIMS, problem: null }]);
});

test("the same delivery always has the same signature", () => {
  expect(signReceipt(CLAIMS)).toBe(signReceipt(structuredClone(CLAIMS)));
});

test.each([
  ["a changed field", receipt({ recipient: "eve@there.test" }), /^recipient differs/],
  [
    "changed claims",
    forged({ ...CLAIMS, recipient: "eve@there.test" }),
    "the signature is invalid",
  ],
  ["another kind of JWS", { signature: "e30.e30.AA" }, /wasn't made for a receipt/],
  [
    "no algorithm",
    { signature: signReceipt(CLAIMS).replace(/^[^.]+/, encode({ alg: "none" })) },
    /wasn't made for a receipt/,
  ],
])("rejects %s", (_, file, problem) => {
  expect(verify(file)[0]!.problem).toMatch(problem);
});

test("names the key of a receipt that another installation signed", () => {
  const [ours] = signingKeys().keys;
  expect(verify(receipt(), { keys: [{ ...ours!, kid: "other" }] })[0]!.problem).toBe(
    `signed with another key (${ours!.kid})`,
  );
});

test("reads published keys, and rejects other files", () => {
  const published = JSON.stringify(signingKeys());
  expect(verify(receipt(), readSigningKeys(published))[0]!.problem).toBeNull();
  expect(() => readSigningKeys("{}")).toThrow("The key file isn't a JSON Web Key Set");
  expect(() => verify("nonsense")).toThrow("The file isn't JSON");
  expect(() => verify({ data: [] })).toThrow("The file has no receipts");
});

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Other claims with the signature of the real ones. */
function forged(claims: ReceiptClaims) {
  const [header, , signature] = signReceipt(CLAIMS).split(".");
  return { signature: `${header!}.${encode(claims)}.${signature!}` };
}
