import type { RefusalReason } from "#server/core/shared/refusals.ts";

/** What each error means, as the API reference and the console's request log explain it. */
export const ERROR_MEANINGS: Record<RefusalReason, string> = {
  invalid_idempotency_key: "`Idempotency-Key` must be 1 to 256 characters",
  missing_api_key: "The `Authorization: Bearer` header is missing",
  restricted_api_key:
    "The API key has sending access only, or is a test key and this endpoint doesn't accept those",
  not_signed_in: "You're not signed in",
  wrong_credentials: "The email address or password is incorrect",
  must_change_password: "The temporary password must be changed first",
  second_factor_due: "A second factor must be set up first",
  invalid_api_key:
    "The API key is malformed, unknown or revoked, the company is suspended, or the admin who created the key no longer has access",
  service_disabled: "The service is disabled for the company",
  account_suspended: "An invoice is overdue; the message names the invoice and the payment page",
  ip_not_allowed: "The client's IP address is not on the company's or the API key's allow-list",
  invalid_permission:
    "The admin who created the API key lacks the required console privilege, or the endpoint requires a test key",
  invalid_from_address:
    "The domain in `from` does not belong to the company, its ownership is not verified, or the API key is restricted to another domain",
  domain_not_verified:
    "The last DNS check of the domain in `from` did not find its SPF or DKIM record",
  account_inactive: "The company has no active subscription",
  not_allowed: "The company's plan or a service rule does not allow it",
  wrong_setup_token: "The setup link does not match the one this server printed",
  cross_origin: "The request came from another site",
  not_found: "No such object exists in the company",
  method_not_allowed:
    "The path does not support this method; the `allow` header lists the supported ones",
  request_timeout: "The request body did not arrive in time",
  invalid_idempotent_request:
    "The idempotency key was used in the last 24 hours with a different body",
  concurrent_idempotent_requests:
    "A request with the same idempotency key is in progress; retry with the same key and body",
  resource_in_use: "The object is still in use",
  already_exists: "The address is already in use",
  payload_too_large: "The request body is too large",
  unsupported_encoding: "The request body is compressed; `content-encoding` is not supported",
  missing_required_field: "A required field is missing",
  invalid_attachment:
    "An attachment is malformed, has an invalid `filename`, `content_type` or `content_id`, uses `path` or `href`, or the attachments exceed 20 MB in total",
  invalid:
    "A field, parameter or header is invalid, the body is not JSON, or the object's state does not allow the request",
  rate_limit_exceeded:
    "Too many requests per second or in progress (with `retry-after`), or another limit named in the message was reached. Nothing was done",
  monthly_quota_exceeded: "The monthly allowance would be exceeded. Nothing was sent",
  too_many_pending: "Too many domains are waiting for ownership verification",
  application_error:
    "Internal error. Retry, and contact the operator with the request ID if it persists",
  mail_server_error: "The mail server refused the change",
};
