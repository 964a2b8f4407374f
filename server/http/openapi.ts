import { codeSamples, type Example } from "./code-samples.ts";
import type { ApiEndpoint } from "./endpoint.ts";
import { Components, fieldsOf, type JsonSchema } from "./json-schemas.ts";
import {
  ANSWER_HEADERS,
  type DocumentedResponse,
  ERROR_SCHEMA,
  headerParameters,
  headersOf,
  type MediaTypeObject,
  refusalResponses,
} from "./openapi-responses.ts";

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
