import { describe, expect, test } from "vitest";

import { refusals } from "#server/core/refusals.ts";
import { call } from "#server/testing/call.ts";

import { getOpenapi } from "./get-openapi.ts";
import { endpoints } from "./registry.ts";

type Schema = { type?: string; required?: string[]; properties?: Record<string, Schema> };
type Response = { description: string; content?: Record<string, { schema: Schema }> };
type Operation = {
  operationId: string;
  summary: string;
  security?: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: Response;
  responses: Record<string, Response>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: object; schemas: { Error: Schema } };
};

const document = (await call(getOpenapi)).body as Document;
const operations = endpoints.map((endpoint) => ({
  name: `${endpoint.method} ${endpoint.path}`,
  endpoint,
  operation: document.paths[endpoint.path]?.[endpoint.method.toLowerCase()],
}));

test("is an OpenAPI 3.1 document", () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/) as string,
    info: { title: expect.any(String) as string, version: expect.any(String) as string },
    servers: [{ url: expect.stringMatching(/^https?:\/\/[^/]+$/) as string }],
    components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
  });
  expect(document.components.schemas.Error.required).toEqual(["statusCode", "name", "message"]);
});

test("has every endpoint once, under an id of its own, and nothing else", () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(operations.map(({ name }) => name).sort());
  const ids = operations.map(({ operation }) => operation?.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(operations)("$name", ({ endpoint, operation }) => {
  test("asks for a key unless it is public", () => {
    expect(operation!.security).toEqual(
      endpoint.permission === "public" ? undefined : [{ apiKey: [] }],
    );
  });

  test("describes every parameter in its path", () => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = operation!.parameters.filter((parameter) => parameter.in === "path");
    expect(described.map(({ name }) => name)).toEqual(inPath);
    expect(described.every(({ required }) => required)).toBe(true);
  });

  test("describes the body it takes and the answer it gives", () => {
    expect(operation!.requestBody !== undefined).toBe(endpoint.body !== undefined);
    const { schema } = operation!.responses[200]!.content!["application/json"]!;
    expect(schema.type).toBe("object");
    expect(schema.required).not.toEqual([]);
  });

  test("describes the status of every refusal it declares, and of those all endpoints have", () => {
    const common = endpoint.permission === "public" ? [500] : [401, 403, 429, 500];
    const declared = endpoint.refusals.map((reason) => refusals[reason].status);
    const described = Object.keys(operation!.responses).map(Number);
    expect(described).toEqual(expect.arrayContaining([...common, ...declared]));
    for (const reason of endpoint.refusals) {
      const { status, name } = refusals[reason];
      expect(operation!.responses[status]!.description).toContain(name);
    }
  });

  test("describes what happens to a body that is too large", () => {
    expect("413" in operation!.responses).toBe(endpoint.body !== undefined);
  });
});

test("describes the pages of a list", () => {
  const { parameters } = document.paths["/emails"]!.get!;
  expect(parameters.map(({ name, in: place, required }) => ({ name, place, required }))).toEqual(
    ["limit", "after", "before"].map((name) => ({ name, place: "query", required: false })),
  );
});
