import { expect, test } from "vitest";

import { config } from "#server/config.ts";
import { signingKeyRecord } from "#server/core/shared/signatures/signing-key.ts";
import type { Answer } from "#server/gateways/dns.ts";

import { checkSigningKey } from "./check-signing-key.ts";

const { name, value } = signingKeyRecord();

test.each<[Answer<string>, object]>([
  [{ kind: "found", records: ["v=spf1 -all", value] }, { state: "ok" }],
  [{ kind: "no_name" }, { state: "ok", advice: `Publish this TXT record at ${name}: ${value}` }],
  [{ kind: "found", records: ["v=spf1 -all"] }, { state: "ok" }],
  [{ kind: "found", records: ["v=posthouse1; k=ed25519; p=AAAA"] }, { state: "warning" }],
  [{ kind: "failed", reason: "TIMEOUT" }, { state: "unknown" }],
])("%j", async (answer, expected) => {
  const finding = await checkSigningKey(
    { ...config(), localMode: false },
    { txt: (asked) => Promise.resolve(asked === name ? answer : { kind: "no_data" }) },
  );
  expect(finding).toMatchObject({ ...expected, found: expect.any(String) as string });
});
