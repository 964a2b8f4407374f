import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";

import type { ApiEndpoint, ApiPermission } from "./endpoint.ts";
import type { JsonSchema } from "./json-schemas.ts";
import { headersOf } from "./openapi-headers.ts";
import { formatBodyLimit } from "./read-body.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";

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
