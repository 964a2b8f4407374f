import { expect, test } from "vitest";

import { readDnsKeys, signingKey, signingKeyRecord, signingKeys } from "./signing-key.ts";

test("the published record contains the key, beside other records", () => {
  const { name, value } = signingKeyRecord();
  expect(name).toMatch(/^_posthouse-receipts\./);
  expect(value).toContain(`kid=${signingKey().jwk.kid};`);
  expect(readDnsKeys(name, ["v=spf1 -all", value])).toEqual(signingKeys());
});

test.each([
  [[]],
  [["v=spf1 -all"]],
  [["v=posthouse1; k=rsa; p=AAAA"]],
  [["v=posthouse1; k=ed25519; p=AAAA"]],
  [["v=posthouse1; k=ed25519"]],
])("%j has no key", (texts) => {
  expect(() => readDnsKeys("_posthouse-receipts.a.test", texts)).toThrow(
    "_posthouse-receipts.a.test has no TXT record with a key",
  );
});
