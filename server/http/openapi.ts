import { z } from "zod";

import { type RefusalReason, refusals } from "#server/core/refusals.ts";

import type { AnyEndpoint, Permission } from "./endpoint.ts";
import { limitInWords } from "./read-body.ts";

const KEY_REFUSALS: RefusalReason[] = [
  "missing_api_key",
  "invalid_api_key",
  "service_disabled",
  "account_suspended",
  "ip_not_allowed",
  "rate_limit_exceeded",
  "application_error",
];

/** The reasons that every endpoint of a permission has. */
const COMMON_REFUSALS: Record<Permission, RefusalReason[]> = {
  public: ["application_error"],
  sending_access: KEY_REFUSALS,
  full_access: [...KEY_REFUSALS, "restricted_api_key", "invalid_permission"],
  console: ["not_signed_in", "invalid_permission", "application_error"],
};

/** The OpenAPI 3.1 document of `endpoints`, made from the declarations that also run them. */
export function openapiDocument(endpoints: AnyEndpoint[], serverUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(endpoint);
  return {
    openapi: "3.1.1",
    info: { title: "Posthouse API", version: "1" },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
      schemas: { Error: errorSchema },
    },
  };
}

const errorSchema = {
  type: "object",
  required: ["statusCode", "name", "message"],
  properties: {
    statusCode: { type: "integer", description: "The HTTP status" },
    name: { type: "string", description: "Stable; match on this" },
    message: { type: "string", description: "For people; may be reworded" },
  },
};

function operationOf(endpoint: AnyEndpoint) {
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    ...(endpoint.permission !== "public" && { security: [{ apiKey: [] }] }),
    "x-permission": endpoint.permission,
    ...(endpoint.privilege && { "x-privilege": endpoint.privilege }),
    parameters: [...parametersOf(endpoint, "params"), ...parametersOf(endpoint, "query")],
    ...(endpoint.body && {
      requestBody: { required: true, content: json(jsonSchema(endpoint.body, "input")) },
    }),
    responses: {
      200: { description: "Done", content: json(jsonSchema(endpoint.response, "output")) },
      ...refusalResponses(endpoint),
      ...tooLargeResponse(endpoint),
    },
  };
}

const operationId = ({ method, path }: AnyEndpoint) =>
  `${method.toLowerCase()}${path.replace(/[^a-z0-9]+(\w?)/gi, (_, letter: string) => letter.toUpperCase())}`;

const json = (schema: unknown) => ({ "application/json": { schema } });

const jsonSchema = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { io, unrepresentable: "any" });

function parametersOf(endpoint: AnyEndpoint, place: "params" | "query") {
  const schema = endpoint[place];
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input");
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place === "params" ? "path" : "query",
    required: required.includes(name),
    schema: property,
  }));
}

function refusalResponses(endpoint: AnyEndpoint) {
  const reasons = [...COMMON_REFUSALS[endpoint.permission], ...endpoint.refusals];
  const names = Map.groupBy(reasons, (reason) => refusals[reason].status);
  return Object.fromEntries(
    [...names].map(([status, reasons]) => [
      status,
      {
        description: [...new Set(reasons.map((reason) => refusals[reason].name))].join(", "),
        content: json({ $ref: "#/components/schemas/Error" }),
      },
    ]),
  );
}

/** Over 30 MB nobody reads the body any more, so that answer has none either. */
function tooLargeResponse({ body, bodyLimit = "general" }: AnyEndpoint) {
  if (!body) return {};
  const description = `payload_too_large: the request body is over ${limitInWords(bodyLimit)}`;
  if (bodyLimit === "sending") return { 413: { description: `${description}; no JSON body` } };
  return { 413: { description, content: json({ $ref: "#/components/schemas/Error" }) } };
}
