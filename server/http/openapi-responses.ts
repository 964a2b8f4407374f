import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";

import type { ApiEndpoint, ApiPermission } from "./endpoint.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";
import type { JsonSchema } from "./json-schemas.ts";
import { formatBodyLimit } from "./read-body.ts";

const KEY_REFUSALS: RefusalReason[] = [
  "missing_api_key",
  "invalid_api_key",
  "service_disabled",
  "account_suspended",
  "ip_not_allowed",
  "rate_limit_exceeded",
  "application_error",
];

/** Errors that every endpoint with a permission can return. */
const COMMON_REFUSALS: Record<ApiPermission, RefusalReason[]> = {
  public: ["application_error"],
  sending_access: KEY_REFUSALS,
  test: [...KEY_REFUSALS, "restricted_api_key", "invalid_permission"],
  full_access: [...KEY_REFUSALS, "restricted_api_key", "invalid_permission"],
};

export const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  description: "The body of every error response",
  required: ["statusCode", "name", "message"],
  properties: {
    statusCode: { type: "integer", description: "HTTP status code" },
    name: { type: "string", description: "Stable error name. Match on this" },
    message: { type: "string", description: "Human-readable explanation. The wording can change" },
  },
  additionalProperties: false,
};

export type MediaTypeObject = {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};

/** A response in the OpenAPI document; without `content` it has no body. */
export type DocumentedResponse = {
  description: string;
  headers: object;
  content?: { "application/json": MediaTypeObject };
};

/** The error responses of an endpoint, by status. */
export function refusalResponses(endpoint: ApiEndpoint): Record<string, DocumentedResponse> {
  const byStatus = Map.groupBy(reasonsOf(endpoint), (reason) => refusals[reason].status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, reasons]) => [status, refusalResponse(endpoint, status, reasons)]),
  );
}

function reasonsOf(endpoint: ApiEndpoint): RefusalReason[] {
  const tooLarge = endpoint.body
    ? (["payload_too_large", "unsupported_encoding", "invalid", "request_timeout"] as const)
    : [];
  return [...new Set([...COMMON_REFUSALS[endpoint.permission], ...tooLarge, ...endpoint.refusals])];
}

function refusalResponse(
  endpoint: ApiEndpoint,
  status: number,
  reasons: RefusalReason[],
): DocumentedResponse {
  const headers = headersOf(endpoint, status);
  const lines = reasons.map(
    (reason) => `\`${refusals[reason].name}\`: ${describeReason(endpoint, reason)}.`,
  );
  const description = lines.join("\n\n");
  // Requests over the server-wide limit are cut off before a JSON error can be built.
  if (status === 413 && endpoint.bodyLimit === "sending")
    return {
      description: `The request body exceeds ${formatBodyLimit("sending")}. The response has no body.`,
      headers,
    };
  const examples = reasons.map((reason) => {
    const { name } = refusals[reason];
    const value = { statusCode: status, name, message: describeReason(endpoint, reason) };
    return [name, { value }] as const;
  });
  const schema = { $ref: "#/components/schemas/Error" };
  return {
    description,
    headers,
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

function describeReason({ bodyLimit = "general" }: ApiEndpoint, reason: RefusalReason): string {
  const text = ERROR_MEANINGS[reason];
  return reason === "payload_too_large"
    ? `The request body exceeds ${formatBodyLimit(bodyLimit)}`
    : text;
}

type Header = { description: string; schema: JsonSchema; example?: unknown };

/** Response headers, by name. */
export const ANSWER_HEADERS = {
  "x-request-id": {
    description: "ID of the request in the server's log",
    schema: { type: "string", format: "uuid" },
  },
  "ratelimit-limit": {
    description: "Requests per second the company can make, across all its API keys",
    schema: { type: "integer" },
    example: 10,
  },
  "ratelimit-remaining": {
    description: "Requests left in the current second",
    schema: { type: "integer" },
    example: 9,
  },
  "ratelimit-reset": {
    description: "Seconds until the limit resets; always 1",
    schema: { type: "integer" },
    example: 1,
  },
  "retry-after": {
    description:
      "Seconds to wait before retrying. Sent only if the request rate or the number of requests in progress was exceeded",
    schema: { type: "integer" },
    example: 1,
  },
  "idempotent-replayed": {
    description: "`true` if this is a replay of the first response and nothing was done",
    schema: { type: "string", const: "true" },
  },
} satisfies Record<string, Header>;

type HeaderName = keyof typeof ANSWER_HEADERS;

const refer = (names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of a response with this status. */
export function headersOf(endpoint: ApiEndpoint, status: number) {
  const names: HeaderName[] = ["x-request-id"];
  const counted = ["sending_access", "full_access", "test"].includes(endpoint.permission);
  // Requests with an invalid key are not counted and get no rate-limit headers.
  if (counted && status !== 401)
    names.push("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset");
  if (status === 429) names.push("retry-after");
  if (status === 200 && takesIdempotencyKey(endpoint)) names.push("idempotent-replayed");
  return refer(names);
}

const takesIdempotencyKey = ({ refusals }: ApiEndpoint) =>
  refusals.includes("invalid_idempotency_key");

/** An endpoint's request headers as OpenAPI parameters. */
export const headerParameters = ({ requestHeaders = {} }: ApiEndpoint) =>
  Object.entries(requestHeaders).map(([name, { description, ...schema }]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema,
  }));
