import { Readable } from "node:stream";

import { describe, expect, test } from "vitest";
import { z } from "zod";

import { defineEndpoint, type Method } from "./endpoint.ts";
import { createRouter } from "./router.ts";

/** A public endpoint that returns its own path and the parameters of the requested path. */
const at = (method: Method, path: string) =>
  defineEndpoint(method, path, {
    summary: "",
    permission: "public",
    privilege: null,
    params: z.record(z.string(), z.string()),
    response: z.unknown(),
    refusals: [],
    handle: ({ params }) => Promise.resolve({ path, params }),
  });

const route = createRouter([
  at("GET", "/"),
  at("POST", "/things"),
  at("GET", "/things"),
  at("GET", "/things/{id}"),
  at("DELETE", "/things/{id}"),
  at("GET", "/things/metrics"),
  at("GET", "/things/{id}/parts/{part_id}"),
  at("GET", "/things/{name}/parts/first"),
]);

async function ask(method: string, path: string) {
  const { status, headers, body } = await route({
    method,
    path,
    query: "",
    headers: {},
    address: "127.0.0.1",
    requestId: "test",
    stream: Readable.from([]),
  });
  return { status, allow: headers.get("allow"), body: JSON.parse(body as string) as unknown };
}

describe("GET", () => {
  test.each([
    ["/", "/", {}],
    ["/things", "/things", {}],
    ["/things/7", "/things/{id}", { id: "7" }],
    ["/things/metrics", "/things/metrics", {}],
    ["/things/metrics/parts/2", "/things/{id}/parts/{part_id}", { id: "metrics", part_id: "2" }],
    ["/things/7/parts/first", "/things/{name}/parts/first", { name: "7" }],
    ["/things/a%40b%2Fc%20d%C3%A9", "/things/{id}", { id: "a@b/c dé" }],
    ["/things/a@b", "/things/{id}", { id: "a@b" }],
    ["/thin%67s", "/things", {}],
    ["/things/..%2F..", "/things/{id}", { id: "../.." }],
    ["/things/__proto__", "/things/{id}", { id: "__proto__" }],
  ])("routes %s to %s", async (path, endpoint, params) => {
    expect(await ask("GET", path)).toMatchObject({
      status: 200,
      body: { path: endpoint, params },
    });
  });

  test.each([
    "/thing",
    "/Things",
    "/things/7/parts",
    "/things/7/parts/1/more",
    "/things/%",
    "/things/%zz",
    "/things/%ff%fe",
    "/%2F",
    "/{id}",
  ])("rejects the path %s", async (path) => {
    expect(await ask("GET", path)).toMatchObject({ status: 404, body: { name: "not_found" } });
  });
});

test.each([
  ["PATCH", "/things", "GET, POST"],
  ["OPTIONS", "/things/7", "GET, DELETE"],
  ["DELETE", "/things/metrics", "GET"],
  ["PROPFIND", "/", "GET"],
  ["get", "/things", "GET, POST"],
])("%s %s returns 405 and allows %s", async (method, path, allow) => {
  expect(await ask(method, path)).toMatchObject({
    status: 405,
    allow,
    body: { statusCode: 405, name: "method_not_allowed" },
  });
});

test("answers HEAD like GET, if there is a GET", async () => {
  expect(await ask("HEAD", "/things/7")).toMatchObject({ status: 200 });
  expect(await ask("HEAD", "/things/7/parts/first")).toMatchObject({ status: 200 });
  expect(await ask("HEAD", "/nothing")).toMatchObject({ status: 404 });
});

test("throws if an endpoint is declared twice", () => {
  const twice = [at("GET", "/things/{id}"), at("GET", "/things/{name}")];
  expect(() => createRouter(twice)).toThrow("GET /things/{name} is declared twice");
});
