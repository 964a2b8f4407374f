import { dkimVerify } from "mailauth/lib/dkim/verify.js";

import { sandboxResolver } from "#server/core/operations/sandbox/test-company.ts";

import type { Check } from "./self-check.ts";

/**
 * Verifies the sandbox domain's DKIM signature on a message (RFC 6376).
 *
 * @returns the selector that signed it
 * @throws Error if it is missing or invalid
 */
export async function verifySignature({ db, sandbox }: Check, message: Buffer): Promise<string> {
  const { results } = await dkimVerify(message, { resolver: sandboxResolver(db) });
  const ours = results.filter(({ signingDomain }) => signingDomain === sandbox.domain);
  const good = ours.find(({ status }) => status.result === "pass");
  if (good) return `selector ${good.selector}`;
  const found = ours.map(({ status }) => `${status.result} ${status.comment ?? ""}`.trim());
  throw new Error(
    `${found.join(", ") || `no signature of ${sandbox.domain}`}: see \`posthouse logs --process worker\`, and keys/instance.key in the data folder`,
  );
}
