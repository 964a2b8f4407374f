import type { RefusalReason } from "#server/core/shared/refusals.ts";

/** When each refusal is given, for people who read the API reference. */
export const REFUSAL_TEXTS: Record<RefusalReason, string> = {
  invalid_idempotency_key: "The `Idempotency-Key` header has not 1 to 256 characters",
  missing_api_key: "There is no `Authorization: Bearer` header",
  restricted_api_key: "The key has sending access, and this endpoint takes full access",
  not_signed_in: "Nobody is signed in",
  wrong_credentials: "The email address or the password is wrong",
  must_change_password: "The password must be changed first",
  second_factor_due: "A second factor must be set up first",
  invalid_api_key:
    "The key is malformed, unknown or revoked, the company is suspended, or the key's creator no longer has access",
  service_disabled: "The service is switched off for the company",
  account_suspended: "An invoice is overdue; the message names it and where to pay it",
  ip_not_allowed: "The caller's address is not on the allow-list of the company or of the key",
  invalid_permission: "The key's creator lacks the console privilege that this takes",
  invalid_from_address:
    "The domain of `from` is not the company's, its ownership is not proven, or the key is restricted to another one",
  domain_not_verified: "SPF or DKIM of the domain of `from` were not found at the last check",
  account_inactive: "The company has no active subscription",
  not_allowed: "The plan or a rule of the service does not allow it",
  wrong_setup_token: "The set-up link is not the one this instance was started with",
  cross_origin: "The request comes from another site's page",
  not_found: "There is no such object in the company",
  method_not_allowed: "The path takes other methods; the `allow` header names them",
  request_timeout: "The request's body did not arrive in time",
  invalid_idempotent_request: "The idempotency key was used within 24 hours with another body",
  concurrent_idempotent_requests:
    "A request with the same idempotency key is still worked on: retry with the same key and body",
  resource_in_use: "Something else still needs the object",
  already_exists: "The address is taken",
  payload_too_large: "The request body is too large",
  unsupported_encoding: "The request body is compressed: `content-encoding` is not supported",
  missing_required_field: "A required field is missing",
  invalid_attachment:
    "An attachment is malformed, has a wrong name, type or content id, uses a path or URL, or all together exceed 20 MB",
  invalid:
    "A field, parameter or header breaks a rule, the body is not JSON, or the act does not fit the state of the object",
  rate_limit_exceeded:
    "Too many requests per second or in progress (with `retry-after`), or another limit is used up: the message says which. Nothing was done",
  monthly_quota_exceeded: "The monthly allowance would be exceeded. Nothing was sent",
  too_many_pending: "Too many domains already wait for proof of ownership",
  application_error: "Something went wrong on the server; details are never told",
  mail_server_error: "The mail server refused the change",
};
