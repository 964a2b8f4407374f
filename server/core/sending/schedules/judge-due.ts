import { signingProblem } from "#server/core/sending/dkim/signing-problem.ts";

import { KEY_REVOKED } from "./cancel-emails-of-keys.ts";
import type { ScheduleEnd } from "./end-scheduled.ts";
import type { DueEmail } from "./lock-due.ts";

/** What keeps a due email from being sent for good, whatever limits and suppressions say; null when nothing does. */
export function judgeDue(email: DueEmail): ScheduleEnd | null {
  const { domain, company } = email;
  // Before the key, since one that was restricted to the domain was revoked with it.
  if (!domain) return failed(email, "The sending domain was deleted");
  const canceled = lostAccess(email);
  if (canceled) return { email, type: "canceled", reason: canceled };
  if (!company.serviceEnabled)
    return failed(email, "The email service is switched off for the company");
  if (company.suspendedAt) return failed(email, "The company is suspended");
  if (!domain.ownershipProvenAt)
    return failed(email, `The ownership of ${domain.name} is no longer proven`);
  if (domain.status !== "verified")
    return failed(
      email,
      `${domain.name} is no longer verified: its SPF or DKIM record was not found at the last check`,
    );
  const problem = signingProblem(domain.sealedDkimKey);
  return problem === null ? null : failed(email, problem);
}

function lostAccess({ apiKeyId, key, creator, isSenderAdmitted }: DueEmail): string | null {
  // Scheduled by a person in the console, who is judged like the creator of a key.
  if (apiKeyId === null)
    return isSenderAdmitted ? null : "The person who scheduled the email has no access any more";
  if (!key || !creator) return "The person who created the API key has no access any more";
  if (key.revokedAt) return KEY_REVOKED;
  if (creator.disabledAt) return "The access of the person who created the API key is switched off";
  return null;
}

const failed = (email: DueEmail, reason: string): ScheduleEnd => ({
  ...{ email, type: "failed", reason },
});
