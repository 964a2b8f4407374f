import type { Resolver } from "#server/gateways/dns.ts";

import { domainOf } from "#server/core/shared/addresses/parse-address.ts";

import { authenticationResults } from "./internal/authentication-results.ts";
import { boundedResolve } from "./internal/bounded-resolve.ts";
import { checkDmarc, type DmarcResult } from "./internal/check-dmarc.ts";
import { checkSignatures, type Signatures } from "./internal/check-signatures.ts";
import { checkSpf, type SpfResult } from "./internal/check-spf.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";

export type Origin = {
  /** Reverse path; "" for none. */
  sender: string;
  /** What it called itself in EHLO. */
  helo: string;
  clientAddress: string;
};

/** What the DNS says of a message from outside. Results are words of RFC 8601. */
export type Verdict = Signatures & {
  spf: SpfResult;
  dmarc: DmarcResult;
  /** The one address of its From; null for none, several, or one that cannot be read. */
  from: string | null;
  /** The domain of `from` stands for it (DMARC alignment), whether it has a policy or not. */
  isFromVerified: boolean;
  /** The reverse path is not forged: its owner may be told of a failure. */
  isSenderVerified: boolean;
  /** Something could not be asked, and what the verdict says may be another one later. */
  isUncertain: boolean;
  /** Our Authentication-Results field, folded, with CRLF at its end. */
  header: string;
};

/**
 * Checks SPF, DKIM, DMARC and ARC of a message (RFC 7208, 6376, 7489, 8617). It asks a bounded number
 * of questions for at most 20 seconds; trouble of the DNS is `temperror`. It never throws for what is
 * in the message, and a large body keeps nobody waiting: it is hashed piece by piece.
 */
export async function verifyMessage(
  { content, ...origin }: Origin & { content: Buffer },
  { resolver, hostname }: { resolver: Pick<Resolver, "resolve">; hostname: string },
): Promise<Verdict> {
  const resolve = boundedResolve(resolver);
  const { from, fromDomain } = readHeader(content);
  const [spf, signatures] = await Promise.all([
    checkSpf(origin, { resolve, hostname }),
    checkSignatures(content, resolve),
  ]);
  const dmarc = await checkDmarc(fromDomain, { spf, dkim: signatures.dkim, resolve });
  const verdict = { ...signatures, spf, dmarc, from };
  const isFromVerified = dmarc.isAligned;
  return {
    ...verdict,
    isFromVerified,
    isSenderVerified: isSenderVerified(origin.sender, { spf, from, isFromVerified }),
    isUncertain: [spf, dmarc, ...signatures.dkim.signatures].some(
      ({ result }) => result === "temperror",
    ),
    header: authenticationResults(hostname, verdict),
  };
}

function isSenderVerified(
  sender: string,
  { spf, from, isFromVerified }: Pick<Verdict, "spf" | "from" | "isFromVerified">,
): boolean {
  if (sender === "") return false;
  if (spf.result === "pass") return true;
  return isFromVerified && from !== null && domainOf(from) === domainOf(sender).toLowerCase();
}
