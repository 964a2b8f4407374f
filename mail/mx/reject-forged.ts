import type { HeaderFacts } from "#server/core/shared/mime/message.ts";
import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";

import { SmtpReply } from "./smtp-reply.ts";

/**
 * Rejects a From that can't be verified, before any parser reads more of it: several fields, several addresses, or an
 * address without a domain (RFC 7489, 6.6.1). A From without an address passes.
 *
 * @param options.isForOwners whether it is only for postmaster and abuse: several authors may then write with a Sender
 *   (RFC 5322, 3.6.2)
 * @throws SmtpReply
 */
export function rejectAmbiguousFrom(
  { fromFields, fromAddresses, fromDomain, hasSender }: HeaderFacts,
  { isForOwners }: { isForOwners: boolean },
): void {
  const hasManyAuthors = fromAddresses > 1 && !(isForOwners && hasSender);
  const isInvalid = fromAddresses === 1 && fromDomain === null && !isForOwners;
  if (fromFields > 1 || hasManyAuthors || isInvalid)
    throw new SmtpReply(
      550,
      "5.7.1",
      "The message must have exactly one From field with one valid address",
    );
}

/**
 * Enforces DMARC `reject` policies (RFC 7489).
 *
 * @param onPolicy called before a `reject` policy is enforced
 * @throws SmtpReply
 */
export function rejectForged(
  { dmarc, isUncertain }: Pick<Verdict, "dmarc" | "isUncertain">,
  onPolicy: () => void = () => undefined,
): void {
  if (dmarc.result !== "fail" || dmarc.policy !== "reject") return;
  if (isUncertain)
    throw new SmtpReply(451, "4.7.1", `DNS lookup for ${dmarc.domain} failed, try again later`);
  onPolicy();
  throw new SmtpReply(
    550,
    "5.7.26",
    `Rejected by the DMARC policy of ${dmarc.domain}: the message is not authenticated`,
  );
}
