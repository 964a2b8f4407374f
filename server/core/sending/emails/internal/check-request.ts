import { v7 as uuidv7 } from "uuid";
import { config } from "#server/config.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import {
  wantsHostedUnsubscribe,
  withHostedUnsubscribe,
} from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { splitSuppressed } from "#server/core/sending/suppressions/suppressed.ts";
import { emailSize } from "./email-rows.ts";
import { factKey, type SendingFacts, TEST_EMAILS_PER_HOUR_MAX } from "./read-sending-facts.ts";
import {
  type AcceptedEmail,
  countRecipients,
  type EmailRequest,
  type EmailResult,
  type SendingDomain,
  type SendingKey,
  uniqueRecipients,
} from "./email-request.ts";

export type CheckedRequest = {
  results: EmailResult[];
  accepted: AcceptedEmail[];
  /** What it adds to the company's totals. */
  change: { companyId: string; hour: number; month: number; scheduled: number };
};

/**
 * Checks the emails of one request. Limits come later, in write-requests.ts.
 *
 * @param problem why the outbox accepts nothing now, or null
 */
export function checkRequest(
  request: EmailRequest,
  facts: SendingFacts,
  problem: string | null,
): CheckedRequest | Refusal {
  const { companyId, emails, allOrNone, validateOnly = false } = request;
  if (!facts.companies.get(companyId)?.subscriptionActive)
    return new Refusal(
      "account_inactive",
      "The company has no active subscription, so sending is paused. Renew the subscription to send again",
    );
  const overTestLimit = countTestEmails(request, facts);
  if (overTestLimit) return overTestLimit;
  const checked = emails.map((input, index) => {
    const id = request.ids?.[index] ?? uuidv7();
    return checkEmail(request, { id, input }, facts, problem);
  });
  const accepted = checked.flatMap((email) => ("refusal" in email ? [] : email));
  const isRefused = validateOnly || (allOrNone && accepted.length < checked.length);
  return {
    results: checked.map((email) => ("refusal" in email ? email : toResult(email))),
    accepted: isRefused ? [] : accepted,
    change: sumTotals(companyId, isRefused ? [] : accepted),
  };
}

const isTestRequest = ({ key }: EmailRequest) => key?.isTest ?? false;

/** Test emails don't count toward quotas, but take space, so their number is limited, except in local mode. */
function countTestEmails(request: EmailRequest, facts: SendingFacts): Refusal | null {
  if (!isTestRequest(request) || config().localMode) return null;
  const { companyId, emails } = request;
  const sent = (facts.testEmails.get(companyId) ?? 0) + emails.length;
  if (sent > TEST_EMAILS_PER_HOUR_MAX)
    return new Refusal(
      "rate_limit_exceeded",
      `At most ${TEST_EMAILS_PER_HOUR_MAX.toLocaleString("en")} test emails can be sent per hour`,
    );
  facts.testEmails.set(companyId, sent);
  return null;
}

const toResult = (email: AcceptedEmail) => ({
  id: email.id,
  failed: email.state === "failed" ? email.reason : null,
});

function checkEmail(
  request: EmailRequest,
  { id, input }: { id: string; input: EmailInput },
  { domains, suppressed }: SendingFacts,
  problem: string | null,
): AcceptedEmail | { refusal: Refusal } {
  const { companyId, key } = request;
  const isTest = isTestRequest(request);
  const domainName = addressDomain(input.fromAddress.address);
  const domain = domains.get(factKey(companyId, domainName));
  const refusal = checkSender(domain, { domainName, key });
  if (refusal || !domain) return { refusal: refusal! };

  const recipients = uniqueRecipients(input);
  const headers = checkUnsubscribe(input, { domain, recipients });
  if (headers instanceof Refusal) return { refusal: headers };
  const listed = (address: string) => suppressed.get(factKey(companyId, address))?.reason;
  const { remaining, skipped } = splitSuppressed(recipients, { isTest, listed });
  const email = {
    id,
    companyId,
    ...senderOf(request),
    domain,
    input: headers === input.headers ? input : { ...input, headers },
    size: emailSize(input),
    isBatch: request.emails.length > 1,
    isTest,
  };
  if (remaining.length === 0) return { ...email, state: "suppressed", remaining, skipped };
  const reason = problem ?? (isTest ? null : domain.signingProblem);
  if (reason !== null) return { ...email, state: "failed", reason, remaining: [], skipped: [] };
  // The suppression list is checked again, and recorded, when the email is due.
  if (input.scheduledAt) return { ...email, state: "scheduled", remaining: [], skipped: [] };
  return { ...email, state: "sent", remaining, skipped };
}

/** The email's custom headers, asking for an unsubscribe link if its domain does. */
function checkUnsubscribe(
  { headers }: EmailInput,
  { domain, recipients }: { domain: SendingDomain; recipients: string[] },
): Refusal | EmailInput["headers"] {
  const isToOne = recipients.length === 1;
  if (!isToOne && wantsHostedUnsubscribe(headers))
    return new Refusal(
      "invalid",
      "headers: List-Unsubscribe: auto needs an email with exactly one recipient in to, cc and bcc. Send a separate email to each recipient",
    );
  return domain.oneClickUnsubscribe && isToOne ? withHostedUnsubscribe(headers) : headers;
}

const senderOf = ({ key, sentBy }: EmailRequest) => ({
  apiKeyId: key?.keyId ?? null,
  sentByAdminId: sentBy?.actor.adminId ?? null,
});

function sumTotals(companyId: string, accepted: AcceptedEmail[]): CheckedRequest["change"] {
  const count = (state: AcceptedEmail["state"]) =>
    accepted.reduce(
      (sum, email) =>
        email.state === state && !email.isTest ? sum + countRecipients(email.input) : sum,
      0,
    );
  const hour = count("sent");
  const scheduled = count("scheduled");
  return { companyId, hour, month: hour + scheduled, scheduled };
}

/**
 * Returns why a key (or the appliance, if null) can't send from a domain; null if it can. Test keys can send from the
 * company's domains before they are verified.
 *
 * @param domain the company's domain, if any
 */
function checkSender(
  domain: Pick<SendingDomain, "id" | "isOwned" | "isVerified"> | undefined,
  { domainName, key }: { domainName: string; key: Pick<SendingKey, "domainId" | "isTest"> | null },
): Refusal | null {
  if (key?.isTest)
    return domain
      ? null
      : new Refusal(
          "invalid_from_address",
          `${domainName} is not a domain of this company. Create it under Domains first. With a test key, you don't have to verify it`,
        );
  if (!domain?.isOwned)
    return new Refusal(
      "invalid_from_address",
      `${domainName} isn't one of your verified domains. Create it under Domains and verify it`,
    );
  if (key && key.domainId !== null && key.domainId !== domain.id)
    return new Refusal("invalid_from_address", `This API key can't send from ${domainName}`);
  if (!domain.isVerified)
    return new Refusal(
      "domain_not_verified",
      `${domainName} cannot send yet: its SPF or DKIM record was not found at the last check`,
    );
  return null;
}
