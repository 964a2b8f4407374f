import { describe, expect, test } from "vitest";
import { z } from "zod";

import { refusals } from "#server/core/shared/refusals.ts";
import type { JsonSchema } from "#server/http/json-schemas.ts";
import { call } from "#server/testing/call.ts";

import { describeApi, getOpenapi } from "./registry.ts";
import { endpoints } from "./registry.ts";

type Content = Record<string, { schema: JsonSchema; example?: unknown; examples?: object }>;

type Response = { description: string; headers: object; content?: Content };

type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; description?: string }[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
  "x-codeSamples": { label: string; source: string }[];
};

type Document = {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; headers: object };
};

const document = (await call(getOpenapi)).body as Document;
const { schemas } = document.components;

const operations = endpoints.map((endpoint) => ({
  name: `${endpoint.method} ${endpoint.path}`,
  endpoint,
  operation: document.paths[endpoint.path]![endpoint.method.toLowerCase()]!,
}));

const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1)!]!;

/** Paths of fields in a schema that have no description, neither their own nor their type's. */
function undescribed(schema: JsonSchema, where: string): string[] {
  const { properties = {}, items, anyOf = [], allOf = [], additionalProperties } = schema;
  const inside = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...((field.description ?? resolved(field).description) ? [] : [`${where}.${name}`]),
      ...undescribed(field, `${where}.${name}`),
    ]),
    ...[...(items ? [items] : []), ...anyOf, ...allOf, ...inside].flatMap((part) =>
      undescribed(part, `${where}[]`),
    ),
  ];
}

const fits = (schema: JsonSchema, value: unknown) =>
  z
    .fromJSONSchema(
      JSON.parse(
        JSON.stringify({ ...schema, $defs: schemas }).replaceAll(
          "#/components/schemas/",
          "#/$defs/",
        ),
      ) as z.core.JSONSchema.JSONSchema,
    )
    .safeParse(value);

test("is an OpenAPI 3.1 document", () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/) as string,
    info: { title: expect.any(String) as string, version: expect.any(String) as string },
    servers: [{ url: expect.stringMatching(/^https?:\/\/[^/]+$/) as string }],
    components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
  });
  expect(schemas.Error!.required).toEqual(["statusCode", "name", "message"]);
});

test("lists every endpoint once, with a unique id, and nothing else", () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(operations.map(({ name }) => name).sort());
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("has no dangling references", () => {
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g);
  for (const [, kind, name] of references)
    expect(document.components[kind as "schemas" | "headers"]).toHaveProperty([name!]);
  expect(JSON.stringify(document)).not.toContain("#/$defs");
});

test("describes every field of the shared schemas", () => {
  for (const [name, schema] of Object.entries(schemas))
    expect(undescribed(schema, name)).toEqual([]);
});

test("describes every tag, and uses each of them", () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  expect(new Set(document.tags.map(({ name }) => name))).toEqual(used);
  expect(document.tags.every(({ description }) => description.length > 0)).toBe(true);
});

describe.each(operations)("$name", ({ endpoint, operation }) => {
  const body = operation.requestBody?.content["application/json"];
  const answer = operation.responses[200]!.content!["application/json"]!;
  const isPublic = endpoint.permission === "public";

  test("requires a key unless it is public", () => {
    expect(operation.security).toEqual(isPublic ? [] : [{ apiKey: [] }]);
  });

  test("has a summary, a description and one tag", () => {
    expect(operation.summary).not.toBe("");
    expect(operation.description).not.toBe("");
    expect(operation.tags).toHaveLength(1);
  });

  test("describes every parameter, and those in its path", () => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(described.map(({ name }) => name)).toEqual(inPath);
    expect(described.every(({ required }) => required)).toBe(true);
    expect(operation.parameters.filter(({ description }) => !description)).toEqual([]);
  });

  test("describes every field of its request and response", () => {
    expect(body !== undefined).toBe(endpoint.body !== undefined);
    expect(resolved(answer.schema).type).toBe("object");
    expect(body ? undescribed(body.schema, "body") : []).toEqual([]);
    expect(undescribed(answer.schema, "answer")).toEqual([]);
  });

  test("has valid examples, and samples in five languages", () => {
    const samples = operation["x-codeSamples"];
    expect(samples.map(({ label }) => label)).toEqual(["curl", "Node.js", "Python", "PHP", "Go"]);
    for (const { source } of samples) expect(source).not.toMatch(/undefined|\[object/);
    expect(fits(answer.schema, answer.example).error).toBeUndefined();
    if (body) expect(fits(body.schema, body.example).error).toBeUndefined();
    if (endpoint.body) expect(endpoint.body.safeParse(body!.example).error).toBeUndefined();
  });

  test("describes the status of every error it declares, and of the common ones", () => {
    const common = isPublic ? [500] : [401, 403, 429, 500];
    const declared = endpoint.refusals.map((reason) => refusals[reason].status);
    const described = Object.keys(operation.responses).map(Number);
    expect(described).toEqual(expect.arrayContaining([...common, ...declared]));
    for (const reason of endpoint.refusals) {
      const { status, name } = refusals[reason];
      if (status === 413) continue;
      const { description, content } = operation.responses[status]!;
      expect(description).toContain(`\`${name}\``);
      expect(content!["application/json"]!.examples).toHaveProperty(name);
    }
  });

  test("describes the error for a body that is too large", () => {
    expect("413" in operation.responses).toBe(endpoint.body !== undefined);
    if (!endpoint.body) return;
    expect(operation.responses[413]!.content === undefined).toBe(endpoint.bodyLimit === "sending");
  });

  test("describes its response headers", () => {
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      const names = Object.keys(headers);
      expect(names).toContain("x-request-id");
      expect(names.includes("ratelimit-remaining")).toBe(!isPublic && status !== "401");
      expect(names.includes("retry-after")).toBe(status === "429");
    }
  });

  test("documents the idempotency key of endpoints that validate one", () => {
    const takes = endpoint.refusals.includes("invalid_idempotency_key");
    expect(operation.parameters.some(({ name }) => name === "Idempotency-Key")).toBe(takes);
    expect("idempotent-replayed" in operation.responses[200]!.headers).toBe(takes);
  });
});

test("describes pagination", () => {
  const { parameters } = document.paths["/emails"]!.get!;
  expect(parameters.map(({ name, in: place, required }) => ({ name, place, required }))).toEqual(
    ["limit", "after", "before"].map((name) => ({ name, place: "query", required: false })),
  );
});

test("describes the API without a key, with a path for every resource", async () => {
  const { status, body } = await call(describeApi);

  expect(status).toBe(200);
  const { resources, ...described } = body as { resources: { name: string; path: string }[] };
  expect(described).toMatchObject({
    name: "Posthouse",
    authentication: expect.stringContaining("Bearer") as string,
    openapi: expect.stringMatching(/\/openapi\.json$/) as string,
  });
  const roots = endpoints
    .filter(({ permission }) => permission !== "public")
    .map(({ path }) => path.split("/")[1]!);
  expect(resources).toEqual([...new Set(roots)].map((name) => ({ name, path: `/${name}` })));
});
