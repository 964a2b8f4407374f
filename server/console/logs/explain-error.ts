import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";
import { ERROR_MEANINGS } from "#server/http/error-meanings.ts";

/** How the developer of the calling application can fix the error. */
const REMEDIES: Partial<Record<RefusalReason, string>> = {
  invalid_idempotency_key: "Send a key of 1 to 256 characters, such as a UUID, or no key.",
  restricted_api_key: "Use an API key with full access.",
  account_suspended: "Pay the invoice named in the error message. Requests then work again.",
  invalid_permission:
    "Give the key's creator the privilege named in the error message, or use the key of an admin who has it.",
  invalid_from_address:
    "Send from one of your domains with verified ownership, or use a key that can send from this domain.",
  domain_not_verified:
    "Open the domain's page to see which DNS record is missing. Add it, then check the domain again.",
  account_inactive: "Ask the operator of this Posthouse server to activate the subscription.",
  not_allowed: "See the error message for the rule or limit. A larger plan may allow it.",
  not_found:
    "Check the ID and the path, and that the object belongs to this company. It may have been deleted.",
  method_not_allowed: "Use one of the methods in the response's Allow header.",
  request_timeout:
    "Try again. If it happens repeatedly, check the network between the application and the server.",
  invalid_idempotent_request: "Use a new idempotency key for each new email.",
  concurrent_idempotent_requests: "Wait a second, then send the same request again.",
  resource_in_use: "First remove what still uses the object. The error message names it.",
  already_exists: "Use another address, or update the existing object.",
  payload_too_large: "Send smaller attachments, or split the request into several.",
  unsupported_encoding: "Send the body uncompressed, without a Content-Encoding header.",
  missing_required_field: "Add the field named in the error message.",
  invalid_attachment:
    "Correct the attachment named in the error message. All attachments together can be up to 20 MB.",
  invalid: "Correct what the error message names and try again.",
  rate_limit_exceeded:
    "Wait for the time in the Retry-After header, then send more slowly. A batch of up to 100 emails counts as one request.",
  monthly_quota_exceeded: "Wait until next month or upgrade to a larger plan.",
  too_many_pending: "Verify the ownership of your pending domains, or delete them.",
  application_error:
    "Try again. If it happens repeatedly, contact the operator of this Posthouse server with the request's time.",
  mail_server_error: "Try again in a minute.",
};

/**
 * Explains the error of a logged request. Null without an error, or for an error name that this version
 * doesn't know. The status tells apart errors that share a name.
 */
export function explainError(
  error: string | null,
  status: number,
): { meaning: string; remedy: string | null } | null {
  const reason = (Object.keys(refusals) as RefusalReason[]).find(
    (candidate) => refusals[candidate].name === error && refusals[candidate].status === status,
  );
  if (!reason) return null;
  return { meaning: `${ERROR_MEANINGS[reason]}.`, remedy: REMEDIES[reason] ?? null };
}
