import type { Resolver } from "#server/gateways/dns.ts";

import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";

import {
  authenticationResults,
  checkDmarc,
  checkSpf,
  type DmarcResult,
  overrideFailure,
  type SpfResult,
} from "./internal/check-policy.ts";
import { boundedResolve } from "./caching-resolver.ts";
import {
  checkSignatures,
  type Signatures,
  VerificationTimeout,
} from "./internal/check-signatures.ts";
import { isTrustedKeyUnavailable } from "./internal/trusted-seal.ts";
import type { Message } from "#server/core/shared/mime/message.ts";

export { VerificationTimeout };

export type SmtpClient = {
  /** Return path; "" for the null sender. */
  sender: string;
  /** The client's EHLO name. */
  helo: string;
  clientAddress: string;
};

/** The authentication results of an incoming message, in the terms of RFC 8601. */
export type Verdict = Signatures & {
  spf: SpfResult;
  dmarc: DmarcResult;
  /** The address in From; null if there is none, several or an invalid one. */
  from: string | null;
  /**
   * SPF or DKIM passed in alignment with the domain of `from` (DMARC), whether or not it has a policy, here or at a
   * trusted forwarder.
   */
  isFromVerified: boolean;
  /** The return path is authentic, so it can get a bounce. */
  isSenderVerified: boolean;
  /** A DNS lookup failed, so a later check may come out differently. */
  isUncertain: boolean;
  /** Our Authentication-Results field, folded and terminated by CRLF. */
  header: string;
};

/**
 * Checks SPF, DKIM, DMARC and ARC of a message (RFC 7208, 6376, 7489, 8617) with a limited number of DNS lookups,
 * for at most 20 seconds. DNS failures yield `temperror`. Signatures are verified in a thread.
 *
 * @param trustedSealers domains of forwarders whose ARC seals can turn a DMARC failure into a pass
 * @throws VerificationTimeout if verifying the signatures takes too long
 */
export async function verifyMessage(
  { message, ...origin }: SmtpClient & { message: Message },
  {
    resolver,
    hostname,
    trustedSealers,
  }: { resolver: Pick<Resolver, "resolve">; hostname: string; trustedSealers: string[] },
): Promise<Verdict> {
  const resolve = boundedResolve(resolver);
  const { from, fromDomain } = message.header;
  const [spf, signatures] = await Promise.all([
    checkSpf(origin, { resolve, hostname }),
    checkSignatures(message, resolve),
  ]);
  const { dkim, arc } = signatures;
  const checked = await checkDmarc(fromDomain, { spf, dkim, resolve });
  const dmarc = overrideFailure(checked, arc, trustedSealers);
  const verdict = { ...signatures, spf, dmarc, from };
  const isFromVerified = dmarc.isAligned;
  return {
    ...verdict,
    isFromVerified,
    isSenderVerified: isSenderVerified(origin.sender, { spf, from, isFromVerified }),
    isUncertain:
      [spf, dmarc, ...dkim.signatures].some(({ result }) => result === "temperror") ||
      (arc.result === "fail" &&
        (await isTrustedKeyUnavailable(arc.sets, { trustedSealers, resolve }))),
    header: authenticationResults(hostname, verdict),
  };
}

function isSenderVerified(
  sender: string,
  { spf, from, isFromVerified }: Pick<Verdict, "spf" | "from" | "isFromVerified">,
): boolean {
  if (sender === "") return false;
  if (spf.result === "pass") return true;
  return (
    isFromVerified && from !== null && addressDomain(from) === addressDomain(sender).toLowerCase()
  );
}
