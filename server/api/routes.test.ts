import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { endpoints } from "./registry.ts";

const ROOT = "app/(api)";

const routeFiles = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith("route.ts"),
);
const apiRoutes = routeFiles.filter((file) => !file.startsWith("[..."));

const pathOf = (file: string) =>
  `/${file.replace(/\/?route\.ts$/, "").replace(/\[(\w+)\]/g, "{$1}")}`;

const linesOf = (file: string) => readFileSync(`${ROOT}/${file}`, "utf8").trim().split("\n");

test("every path of the registry has a route file, and every route file a path", () => {
  expect(apiRoutes.map(pathOf).sort()).toEqual(
    [...new Set(endpoints.map((endpoint) => endpoint.path))].sort(),
  );
});

test("no method of a path is declared twice", () => {
  const names = endpoints.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(routeFiles)("app/(api)/%s", (file) => {
  test("only hands endpoints over", () => {
    expect(linesOf(file).filter((line) => line && !line.startsWith("import "))).toEqual([
      expect.stringMatching(
        /^export const \{ GET, POST, PUT, PATCH, DELETE, OPTIONS \} = serve\w*\(.*\);$/,
      ),
    ]);
  });
});

test.each(apiRoutes)("app/(api)/%s hands over every endpoint of its path, and no other", (file) => {
  const imported = linesOf(file).flatMap(
    (line) => /^import \{ \w+ \} from "#(server\/api\/.+)";$/.exec(line)?.[1] ?? [],
  );
  const declared = imported.map((source) => {
    const code = readFileSync(source, "utf8");
    const [, method, path] = /method: "(\w+)",\s+path: "([^"]+)"/.exec(code)!;
    return `${method!} ${path!}`;
  });
  const expected = endpoints.filter(({ path }) => path === pathOf(file));
  expect(declared.sort()).toEqual(expected.map(({ method, path }) => `${method} ${path}`).sort());
});
