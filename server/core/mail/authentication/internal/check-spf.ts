import { isIP } from "node:net";

import { readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";

import type { Resolve } from "./bounded-resolve.ts";
import type { Origin } from "#server/core/mail/authentication/verify-message.ts";

export type SpfResult = {
  result: "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror";
  /** The domain that was checked: that of the return path, or EHLO for the null sender. */
  domain: string | null;
  identity: "mailfrom" | "helo";
};

const RESULTS = ["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"] as const;

/** Replaces underscores: mailauth considers a return path's domain with one invalid. */
const UNDERSCORE = "5f5f5f";

/** Checks whether the domain of the return path allows this address to send (RFC 7208). */
export async function checkSpf(
  { sender, helo, clientAddress }: Origin,
  { resolve, hostname }: { resolve: Resolve; hostname: string },
): Promise<SpfResult> {
  const identity = sender === "" ? "helo" : "mailfrom";
  const domain = readSenderDomain(sender === "" ? helo : sender.slice(sender.lastIndexOf("@") + 1));
  if (!domain || isIP(clientAddress) === 0) return { result: "none", domain, identity };
  const { spf } = await import("mailauth/lib/spf/index.js");
  const hides = domain.includes("_");
  const { status } = await spf({
    sender: `${sender === "" ? "postmaster" : sender.slice(0, sender.lastIndexOf("@"))}@${
      hides ? domain.replaceAll("_", UNDERSCORE) : domain
    }`,
    ip: clientAddress,
    helo: readSenderDomain(helo) ?? domain,
    mta: hostname,
    resolver: hides ? (name, type) => resolve(name.replaceAll(UNDERSCORE, "_"), type) : resolve,
  });
  const result = RESULTS.find((known) => known === status.result) ?? "temperror";
  return { result, domain, identity };
}
