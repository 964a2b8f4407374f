import { SmtpReply } from "#mail/mx/smtp-reply.ts";
import { Refusal, type RefusalReason, refusals } from "#server/core/shared/refusals.ts";
import { SignInError } from "#server/core/access/sign-in/throttle.ts";
import { SubmissionError } from "#server/core/mail/submission/submitter.ts";

type EnhancedCode = SubmissionError["enhancedCode"];

/** The SMTP reply for an expected error; null for an unexpected one. */
export function toSmtpReply(error: unknown): SmtpReply | null {
  if (error instanceof SmtpReply) return error;
  if (error instanceof SubmissionError)
    return new SmtpReply(replyCode(error.enhancedCode), error.enhancedCode, error.message);
  if (error instanceof SignInError) return signInReply(error);
  if (!(error instanceof Refusal)) return null;
  const isOurs = refusals[error.reason].status >= 500;
  const enhancedCode = REFUSALS[error.reason] ?? (isOurs ? null : "5.6.0");
  if (!enhancedCode) return null;
  return new SmtpReply(replyCode(enhancedCode), enhancedCode, error.message);
}

/** RFC 4954, 6: 535 rejects the credentials, 454 is temporary. */
export function signInReply(error: SignInError | Refusal): SmtpReply {
  const why = error instanceof SignInError ? error.why : error.reason;
  if (why === "too_many_attempts" || why === "rate_limit_exceeded")
    return new SmtpReply(454, "4.7.0", error.message);
  const isUnknown = why === "wrong_credentials" || why === "invalid_api_key";
  return new SmtpReply(535, isUnknown ? "5.7.8" : "5.7.1", error.message);
}

/** Reply codes (RFC 5321, 4.2.3) that the first digit of the enhanced code does not determine. */
const CODES: Partial<Record<EnhancedCode, number>> = {
  "4.3.0": 451,
  "4.3.1": 452,
  "4.7.1": 450,
  "5.3.4": 552,
  "5.6.0": 554,
};

const replyCode = (enhancedCode: EnhancedCode): number =>
  CODES[enhancedCode] ?? (enhancedCode.startsWith("4") ? 451 : 550);

/** Errors of the API that mail sent with an API key can cause. Others are about the content. */
const REFUSALS: Partial<Record<RefusalReason, EnhancedCode>> = {
  invalid_api_key: "5.7.1",
  service_disabled: "5.7.1",
  account_suspended: "5.7.1",
  account_inactive: "5.7.1",
  ip_not_allowed: "5.7.1",
  invalid_from_address: "5.7.1",
  domain_not_verified: "5.7.1",
  rate_limit_exceeded: "4.7.1",
  monthly_quota_exceeded: "4.7.1",
  payload_too_large: "5.3.4",
  concurrent_idempotent_requests: "4.3.0",
  application_error: "4.3.0",
};
