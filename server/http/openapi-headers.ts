import type { ApiEndpoint } from "./endpoint.ts";
import type { JsonSchema } from "./json-schemas.ts";

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
