import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";

import { codeSamples, type Example } from "./code-samples.ts";
import type { ApiEndpoint, ApiPermission } from "./endpoint.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";
import { Components, fieldsOf, type JsonSchema } from "./json-schemas.ts";
import { formatBodyLimit } from "./read-body.ts";

/** Content of the document that the declarations lack. */
type Presentation = {
  /** By first path segment. */
  tags?: Record<string, { name: string; description: string }>;
  /** By method and path: `GET /emails/{id}`. */
  examples?: Record<string, Example>;
};

/** Builds the OpenAPI 3.1 document from the endpoint declarations. */
export function openapiDocument(
  endpoints: ApiEndpoint[],
  serverUrl: string,
  { tags = {}, examples = {} }: Presentation = {},
) {
  const components = new Components();
  const paths: Record<string, Record<string, ReturnType<typeof buildOperation>>> = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = buildOperation(endpoint, {
      components,
      serverUrl,
      tag: tags[endpoint.path.split("/")[1]!],
      example: examples[`${endpoint.method} ${endpoint.path}`],
    });
  return {
    openapi: "3.1.1",
    info: {
      title: "Posthouse API",
      version: "1",
      description:
        "Send email from your own domains, track its delivery, and manage domains, mailboxes and webhooks. Request and response bodies are JSON; every success is a 200.",
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(endpoints.map(({ path }) => tags[path.split("/")[1]!]))].filter(
      (tag) => tag !== undefined,
    ),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key, sent as `Authorization: Bearer ph_…`",
        },
      },
      headers: ANSWER_HEADERS,
      schemas: { Error: ERROR_SCHEMA, ...components.schemas },
    },
  };
}

export type OpenapiDocument = ReturnType<typeof openapiDocument>;
export type Operation = ReturnType<typeof buildOperation>;

function buildOperation(
  endpoint: ApiEndpoint,
  given: {
    components: Components;
    serverUrl: string;
    tag: { name: string } | undefined;
    example: Example | undefined;
  },
) {
  const { components, example, tag } = given;
  const responses: Record<string, DocumentedResponse> = {
    200: {
      description: "Success",
      headers: headersOf(endpoint, 200),
      content: json(components.schemaOf(endpoint.response, "output"), example?.answer),
    },
    ...refusalResponses(endpoint),
  };
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    description: [endpoint.description, describeAccess(endpoint)].filter(Boolean).join("\n\n"),
    ...(tag && { tags: [tag.name] }),
    security: endpoint.permission === "public" ? [] : [{ apiKey: [] as string[] }],
    "x-permission": endpoint.permission,
    ...(endpoint.privilege && { "x-privilege": endpoint.privilege }),
    parameters: [
      ...buildParameters(components, endpoint, "params", example?.params),
      ...buildParameters(components, endpoint, "query", example?.query),
      ...headerParameters(endpoint),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: json(components.schemaOf(endpoint.body, "input"), example?.body),
      },
    }),
    responses,
    ...(example && { "x-codeSamples": codeSamples(endpoint, example, given.serverUrl) }),
  };
}

const operationId = ({ method, path }: ApiEndpoint) =>
  `${method.toLowerCase()}${path.replace(/[^a-z0-9]+(\w?)/gi, (_, letter: string) => letter.toUpperCase())}`;

const json = (schema: JsonSchema, example: unknown): { "application/json": MediaTypeObject } => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

function describeAccess({ permission, privilege, admitsTestKeys }: ApiEndpoint): string {
  if (permission === "public") return "No API key required.";
  if (permission === "test") return "Requires a test key.";
  if (permission === "sending_access")
    return "Requires an API key with sending or full access, or a test key.";
  const key = admitsTestKeys
    ? "an API key with full access or a test key"
    : "an API key with full access";
  if (privilege === null) return `Requires ${key}.`;
  const requirement = [privilege]
    .flat()
    .map((name) => (name === "owner" ? "is an owner" : `has the privilege \`${name}\``))
    .join(" or ");
  return `Requires ${key} whose creator ${requirement}.`;
}

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description: string | undefined;
  schema: JsonSchema;
  example?: unknown;
};

function buildParameters(
  components: Components,
  endpoint: ApiEndpoint,
  place: "params" | "query",
  examples: Record<string, string> = {},
): Parameter[] {
  const schema = endpoint[place];
  if (!schema) return [];
  const { properties, required } = fieldsOf(components.schemaOf(schema, "input"));
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place === "params" ? "path" : "query",
    required: required.includes(name),
    description,
    schema: rest,
    ...(examples[name] !== undefined && { example: examples[name] }),
  }));
}

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

const ERROR_SCHEMA: JsonSchema = {
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

type MediaTypeObject = {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};

/** A response in the OpenAPI document; without `content` it has no body. */
type DocumentedResponse = {
  description: string;
  headers: object;
  content?: { "application/json": MediaTypeObject };
};

/** The error responses of an endpoint, by status. */
function refusalResponses(endpoint: ApiEndpoint): Record<string, DocumentedResponse> {
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
const ANSWER_HEADERS = {
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
function headersOf(endpoint: ApiEndpoint, status: number) {
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
const headerParameters = ({ requestHeaders = {} }: ApiEndpoint) =>
  Object.entries(requestHeaders).map(([name, { description, ...schema }]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema,
  }));
