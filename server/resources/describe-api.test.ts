import { expect, test } from "vitest";

import { call } from "#server/testing/call.ts";

import { describeApi } from "./describe-api.ts";
import { endpoints } from "./registry.ts";

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
