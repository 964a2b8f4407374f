import type { HeaderFacts } from "#server/core/shared/mime/read-header.ts";
import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";

import { SmtpReply } from "./smtp-reply.ts";

/**
 * Enforces DMARC `reject` policies (RFC 7489), and rejects a From that DMARC cannot check: several fields or
 * addresses, or an address without a domain (6.6.1). A From without an address passes.
 *
 * @param onPolicy called before a `reject` policy is enforced
 * @throws SmtpReply
 */
export function rejectForged(
  { fromFields, fromAddresses, fromDomain }: HeaderFacts,
  { dmarc, isUncertain }: Pick<Verdict, "dmarc" | "isUncertain">,
  onPolicy: () => void = () => undefined,
): void {
  if (fromFields > 1 || fromAddresses > 1 || (fromAddresses === 1 && fromDomain === null))
    throw new SmtpReply(
      550,
      "5.7.1",
      "The message must have exactly one From field with one valid address",
    );
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
