import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";
import { REFUSAL_TEXTS } from "#server/http/refusal-texts.ts";

/** What the person who wrote the program does about a refusal. */
const REMEDIES: Partial<Record<RefusalReason, string>> = {
  invalid_idempotency_key: "Send a key of 1 to 256 characters, such as a UUID, or none.",
  restricted_api_key: "Use a key with full access, or leave this call out of the program.",
  account_suspended: "Pay the invoice that the answer names; calls work again right after.",
  invalid_permission:
    "Give the person who created the key the privilege that the answer names, or use a key of somebody who holds it.",
  invalid_from_address:
    "Send from a domain of yours whose ownership is proven, or use a key that may send from this one.",
  domain_not_verified:
    "Open the domain's page: it shows which DNS record is missing. Then check again.",
  account_inactive: "Ask who runs this Posthouse to activate the subscription.",
  not_allowed: "The answer names the rule or the limit. A larger plan may allow it.",
  not_found:
    "Check the id or the path, and that the object belongs to this company. It may have been deleted.",
  method_not_allowed: "Call the path with one of the methods in the answer's allow header.",
  request_timeout: "Send it again. If it stays, look at the network between program and server.",
  invalid_idempotent_request: "Use a new idempotency key for a new email.",
  concurrent_idempotent_requests: "Wait a second and send the same request again.",
  resource_in_use: "Remove first what the answer says still needs it.",
  already_exists: "Use another address, or change the object that has this one.",
  payload_too_large:
    "Send less at a time: smaller attachments, or several requests instead of one.",
  unsupported_encoding: "Send the body uncompressed, without a Content-Encoding header.",
  missing_required_field: "Add the field that the answer names.",
  invalid_attachment: "Correct the attachment that the answer names; 20 MB is the most for all.",
  invalid: "Correct what the answer names, and send it again.",
  rate_limit_exceeded:
    "Wait as long as retry-after says, then go on more slowly. Batches of up to 100 emails count as one request.",
  monthly_quota_exceeded: "Sending works again next month, or with a larger plan.",
  too_many_pending: "Prove the ownership of the domains that wait, or delete them.",
  application_error: "Send it again. If it stays, tell who runs this Posthouse when it happened.",
  mail_server_error: "Send it again in a minute.",
};

/**
 * What the error of a logged request means and what to do; null for none, and for names that this
 * version does not know. A name with several meanings has one for each status.
 */
export function refusalInWords(
  error: string | null,
  status: number,
): { meaning: string; remedy: string | null } | null {
  const reason = (Object.keys(refusals) as RefusalReason[]).find(
    (each) => refusals[each].name === error && refusals[each].status === status,
  );
  if (!reason) return null;
  return { meaning: `${REFUSAL_TEXTS[reason]}.`, remedy: REMEDIES[reason] ?? null };
}
