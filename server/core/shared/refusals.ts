/**
 * All errors of the API, by reason. HTTP statuses and the OpenAPI document are generated from this table.
 *
 * Clients match on `name`, which never changes. Several reasons share the name `validation_error` with
 * different statuses, so code uses the reason.
 */
export const refusals = {
  invalid_idempotency_key: { status: 400, name: "invalid_idempotency_key" },
  missing_api_key: { status: 401, name: "missing_api_key" },
  restricted_api_key: { status: 401, name: "restricted_api_key" },
  not_signed_in: { status: 401, name: "not_signed_in" },
  /** At the console; doesn't say which of address and password is wrong. */
  wrong_credentials: { status: 401, name: "wrong_credentials" },
  /** At `/account`: only the page to change the password is open. */
  must_change_password: { status: 403, name: "must_change_password" },
  /** At the console: the company requires a second factor; until it is set up, nothing else is open. */
  second_factor_due: { status: 403, name: "second_factor_due" },
  invalid_api_key: { status: 403, name: "invalid_api_key" },
  service_disabled: { status: 403, name: "service_disabled" },
  account_suspended: { status: 403, name: "account_suspended" },
  ip_not_allowed: { status: 403, name: "ip_not_allowed" },
  invalid_permission: { status: 403, name: "invalid_permission" },
  invalid_from_address: { status: 403, name: "invalid_from_address" },
  domain_not_verified: { status: 403, name: "domain_not_verified" },
  account_inactive: { status: 403, name: "account_inactive" },
  /** A domain that can't be added, an eleventh webhook, a mailbox over the plan's limit. */
  not_allowed: { status: 403, name: "validation_error" },
  wrong_setup_token: { status: 403, name: "wrong_setup_token" },
  /** The console only accepts writes from its own pages. */
  cross_origin: { status: 403, name: "cross_origin" },
  not_found: { status: 404, name: "not_found" },
  method_not_allowed: { status: 405, name: "method_not_allowed" },
  request_timeout: { status: 408, name: "request_timeout" },
  invalid_idempotent_request: { status: 409, name: "invalid_idempotent_request" },
  concurrent_idempotent_requests: { status: 409, name: "concurrent_idempotent_requests" },
  resource_in_use: { status: 409, name: "resource_in_use" },
  already_exists: { status: 409, name: "already_exists" },
  payload_too_large: { status: 413, name: "payload_too_large" },
  /** The request body is compressed. */
  unsupported_encoding: { status: 415, name: "validation_error" },
  missing_required_field: { status: 422, name: "missing_required_field" },
  invalid_attachment: { status: 422, name: "invalid_attachment" },
  /** An invalid field, parameter or header, or an action that the current state doesn't allow. */
  invalid: { status: 422, name: "validation_error" },
  rate_limit_exceeded: { status: 429, name: "rate_limit_exceeded" },
  monthly_quota_exceeded: { status: 429, name: "monthly_quota_exceeded" },
  /** Ten domains are already waiting for ownership verification. */
  too_many_pending: { status: 429, name: "validation_error" },
  application_error: { status: 500, name: "application_error" },
  mail_server_error: { status: 502, name: "mail_server_error" },
} as const;

export type RefusalReason = keyof typeof refusals;

/** An invalid field of a request: `{ path: "to[1]", code: "invalid_format", message: "must be an address" }`. */
export type FieldProblem = {
  /** As in messages: `to[1]`, `owner.email`. */
  path: string;
  /** `required`, the reason of the error, or zod's issue code. */
  code: string;
  /** Continues the field's name: "must be 1 to 50 characters". Or a sentence, which ends with a period. */
  message: string;
};

/** Messages about a field start with its path: "name: must be 1 to 50 characters". */
const FIELD_MESSAGE = /^([a-z]\w*(?:\[\d+\]|\.\w+)*): (.+)$/s;

/**
 * An expected error with a message for the caller. Anything else that is thrown is a bug and results in a
 * 500.
 */
export class Refusal extends Error {
  override name = "Refusal";
  readonly reason: RefusalReason;
  /** Seconds for the `retry-after` header, if known. */
  readonly retryAfterSeconds: number | null;
  /** The invalid fields, for forms; the message names only the first. */
  readonly fields: readonly FieldProblem[];

  /** @param options.field the field that the error is about, if the message doesn't start with its path */
  constructor(reason: RefusalReason, message: string, options: RefusalOptions = {}) {
    super(message);
    this.reason = reason;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.fields = options.fields ?? problemsIn(reason, message, options.field);
  }
}

type RefusalOptions = {
  retryAfterSeconds?: number | null;
  field?: string;
  fields?: readonly FieldProblem[];
};

function problemsIn(code: RefusalReason, message: string, field?: string): FieldProblem[] {
  if (field !== undefined) return [{ path: field, code, message: `${message}.` }];
  const [, path, problem] = FIELD_MESSAGE.exec(message) ?? [];
  return path && problem ? [{ path, code, message: problem }] : [];
}
