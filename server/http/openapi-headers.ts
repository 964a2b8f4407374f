import type { AnyEndpoint } from "./endpoint.ts";
import type { JsonSchema } from "./json-schemas.ts";

type Header = { description: string; schema: JsonSchema; example?: unknown };

/** Header fields of answers, by their names in the document. */
export const ANSWER_HEADERS = {
  "x-request-id": {
    description: "Names the request in the server's log",
    schema: { type: "string", format: "uuid" },
  },
  "ratelimit-limit": {
    description: "Requests per second that the company has, all its keys together",
    schema: { type: "integer" },
    example: 10,
  },
  "ratelimit-remaining": {
    description: "How many of them are left in this second",
    schema: { type: "integer" },
    example: 9,
  },
  "ratelimit-reset": {
    description: "Seconds until all of them are there again; always 1",
    schema: { type: "integer" },
    example: 1,
  },
  "retry-after": {
    description:
      "Seconds to wait; only when the request rate or the requests in progress were the reason",
    schema: { type: "integer" },
    example: 1,
  },
  "idempotent-replayed": {
    description: "`true` when this is the first answer over again, and nothing was done",
    schema: { type: "string", const: "true" },
  },
} satisfies Record<string, Header>;

type HeaderName = keyof typeof ANSWER_HEADERS;

const refer = (names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** What an answer of this status carries in its header. */
export function headersOf(endpoint: AnyEndpoint, status: number) {
  const names: HeaderName[] = ["x-request-id"];
  const counted = endpoint.permission === "sending_access" || endpoint.permission === "full_access";
  // A key that is not accepted is not counted, nor told of the rate.
  if (counted && status !== 401)
    names.push("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset");
  if (status === 429) names.push("retry-after");
  if (status === 200 && takesIdempotencyKey(endpoint)) names.push("idempotent-replayed");
  return refer(names);
}

/** Who refuses a bad idempotency key reads one. */
const takesIdempotencyKey = ({ refusals }: AnyEndpoint) =>
  refusals.includes("invalid_idempotency_key");

/** Parameters in the header of the request. */
export const headerParameters = ({ requestHeaders = {} }: AnyEndpoint) =>
  Object.entries(requestHeaders).map(([name, { description, ...schema }]) => ({
    ...{ name, in: "header", required: false, description, schema },
  }));
