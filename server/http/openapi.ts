import { codeSamples, type Example } from "./code-samples.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import { Components, fieldsOf, type JsonSchema } from "./json-schemas.ts";
import { ANSWER_HEADERS, headerParameters, headersOf } from "./openapi-headers.ts";
import {
  type DocumentedResponse,
  ERROR_SCHEMA,
  type MediaType,
  refusalResponses,
} from "./openapi-responses.ts";

/** What a document says beside what the declarations say. */
type Presentation = {
  /** By first part of the path. */
  tags?: Record<string, { name: string; description: string }>;
  /** By method and path: `GET /emails/{id}`. */
  examples?: Record<string, Example>;
};

/** The OpenAPI 3.1 document of `endpoints`, made from the declarations that also run them. */
export function openapiDocument(
  endpoints: AnyEndpoint[],
  serverUrl: string,
  { tags = {}, examples = {} }: Presentation = {},
) {
  const components = new Components();
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(endpoint, {
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
        "Send email from your own domains, follow what becomes of it, and keep the list of addresses to skip. Bodies and answers are JSON; every success is a 200.",
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
          description: "An API key of the company: `Authorization: Bearer ph_…`",
        },
      },
      headers: ANSWER_HEADERS,
      schemas: { Error: ERROR_SCHEMA, ...components.schemas },
    },
  };
}

export type OpenapiDocument = ReturnType<typeof openapiDocument>;
export type Operation = ReturnType<typeof operationOf>;

function operationOf(
  endpoint: AnyEndpoint,
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
      description: "Done",
      headers: headersOf(endpoint, 200),
      content: json(components.schemaOf(endpoint.response, "output"), example?.answer),
    },
    ...refusalResponses(endpoint),
  };
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    description: [endpoint.description, accessOf(endpoint)].filter(Boolean).join("\n\n"),
    ...(tag && { tags: [tag.name] }),
    security: endpoint.permission === "public" ? [] : [{ apiKey: [] as string[] }],
    "x-permission": endpoint.permission,
    ...(endpoint.privilege && { "x-privilege": endpoint.privilege }),
    parameters: [
      ...parametersOf(components, endpoint, "params", example?.params),
      ...parametersOf(components, endpoint, "query", example?.query),
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

const operationId = ({ method, path }: AnyEndpoint) =>
  `${method.toLowerCase()}${path.replace(/[^a-z0-9]+(\w?)/gi, (_, letter: string) => letter.toUpperCase())}`;

const json = (schema: JsonSchema, example: unknown): { "application/json": MediaType } => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

function accessOf({ permission, privilege }: AnyEndpoint): string {
  if (permission === "public") return "Takes no key.";
  if (permission === "sending_access") return "Takes any key of the company.";
  if (privilege === null) return "Takes a key with full access.";
  const right = [privilege]
    .flat()
    .map((name) => (name === "owner" ? "owns the company" : `holds the privilege \`${name}\``))
    .join(" or ");
  return `Takes a key with full access whose creator ${right}.`;
}

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description: string | undefined;
  schema: JsonSchema;
  example?: unknown;
};

function parametersOf(
  components: Components,
  endpoint: AnyEndpoint,
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
