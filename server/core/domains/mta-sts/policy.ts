import { createHash } from "node:crypto";

import { config, type Config } from "#server/config.ts";

const MAX_AGE_SECONDS = 7 * 24 * 60 * 60;

export type OwnPolicy = {
  /** The policy file (RFC 8461 §3.2). */
  text: string;
  /** For the TXT record (§3.1). Changes exactly when the text does. */
  id: string;
};

/**
 * The MTA-STS policy of every domain that receives its mail here. `enforce` only if the appliance was given a
 * certificate: with a self-signed one, such a policy would block all mail.
 */
export function ownMtaStsPolicy(
  { hostname, tls }: Pick<Config, "hostname" | "tls"> = config(),
): OwnPolicy {
  const mode = tls ? "enforce" : "testing";
  const fields = [
    "version: STSv1",
    `mode: ${mode}`,
    `mx: ${hostname}`,
    `max_age: ${MAX_AGE_SECONDS}`,
  ];
  const text = fields.map((field) => `${field}\r\n`).join("");
  return { text, id: createHash("sha256").update(text).digest("hex").slice(0, 16) };
}
