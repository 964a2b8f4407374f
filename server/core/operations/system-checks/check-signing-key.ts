import type { Config } from "#server/config.ts";
import { signingKeyRecord } from "#server/core/shared/signatures/signing-key.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { type Finding, ok, unknown, warning } from "./finding.ts";

const PART = "receipt key";

/** Checks the DNS record with the public key for receipts. It's optional, so only a wrong one is a warning. */
export async function checkSigningKey(
  { localMode, baseUrl }: Pick<Config, "localMode" | "baseUrl">,
  dns: Pick<Resolver, "txt">,
): Promise<Finding> {
  if (localMode) return ok(PART, "In local mode, the key for receipts isn't published");
  const { name, value } = signingKeyRecord(baseUrl);
  const advice = `Publish this TXT record at ${name}: ${value}`;
  const answer = await dns.txt(name);
  if (answer.kind === "failed")
    return unknown(PART, `Couldn't look up ${name}: ${answer.reason}`, "Run the check again later");
  const texts = answer.kind === "found" ? answer.records : [];
  if (texts.includes(value)) return ok(PART, "DNS has the public key for receipts");
  if (texts.some((text) => text.startsWith("v=posthouse1")))
    return warning(PART, `${name} has the public key of another installation`, advice);
  return {
    ...ok(PART, "The public key for receipts isn't published in DNS, which is optional"),
    advice,
  };
}
