import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, expect, onTestFinished, test, vi } from "vitest";

import { askNpm, findVulnerable, knownAdvisories, remember } from "./cli/bootstrap/advisories.mjs";

afterEach(() => vi.unstubAllEnvs());

type Lock = {
  packages: Record<
    string,
    { version?: string; resolved?: string; hasInstallScript?: boolean; license?: string }
  >;
};

const read = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", file), "utf8")) as unknown;
const lock = read("package-lock.json") as Lock;

test("no package in the lock file has a known advisory, not even below another package", () => {
  expect(findVulnerable(lock, knownAdvisories().advisories)).toEqual([]);
});

const advisory = {
  id: "GHSA-2x7j-588g-ccc2",
  package: "nodemailer",
  range: "<9.1.0",
};

test("a vulnerable version below another package is found", () => {
  const packages = {
    "node_modules/nodemailer": { version: "10.6.1" },
    "node_modules/mailauth/node_modules/nodemailer": { version: "9.0.27" },
    "node_modules/mailparser/node_modules/nodemailer": { version: "9.1.0" },
  };
  expect(findVulnerable({ packages }, [advisory])).toEqual([
    "node_modules/mailauth/node_modules/nodemailer 9.0.27: GHSA-2x7j-588g-ccc2",
  ]);
});

test("`npm run advisories` adds what the registry knows, and keeps the rest", async () => {
  const { folder, registry } = await aRegistry();
  vi.stubEnv("npm_config_registry", registry);
  const list = join(folder, "known.json");
  const later = { ...advisory, id: "GHSA-zzzz-zzzz-zzzz" };
  writeFileSync(list, JSON.stringify({ updated: "2026-01-01", advisories: [later] }));
  remember(await askNpm(folder), list);
  expect(knownAdvisories(list)).toEqual({
    updated: new Date().toISOString().slice(0, 10),
    advisories: [advisory, later],
  });
});

test("`npm run advisories` says when the registry has none", async () => {
  const { folder, registry } = await aRegistry();
  vi.stubEnv("npm_config_registry", `${registry}elsewhere/`);
  await expect(askNpm(folder)).rejects.toThrow("npm has no advisories");
});

/** A registry that knows the advisory, and a folder with a vulnerable lock file. */
async function aRegistry(): Promise<{ folder: string; registry: string }> {
  const { id, range } = advisory;
  const url = `https://github.com/advisories/${id}`;
  const answers: Record<string, unknown> = {
    "/-/npm/v1/security/advisories/bulk": {
      nodemailer: [{ id: 1, url, title: "Slow", severity: "high", vulnerable_versions: range }],
    },
    "/nodemailer": {
      name: "nodemailer",
      "dist-tags": { latest: "10.6.1" },
      versions: { "9.0.27": { name: "nodemailer", version: "9.0.27" } },
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url!];
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const folder = mkdtempSync(join(tmpdir(), "posthouse-advisories-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const root = { name: "example", version: "1.0.0", dependencies: { nodemailer: "9.0.27" } };
  const packages = { "": root, "node_modules/nodemailer": { version: "9.0.27" } };
  const locked = { name: "example", version: "1.0.0", lockfileVersion: 3, packages };
  writeFileSync(join(folder, "package.json"), JSON.stringify(root));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(locked));
  return { folder, registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test("the lock file names no registry, so that npm uses the configured one", () => {
  const located = Object.entries(lock.packages).filter(([, { resolved }]) => resolved);
  expect(located).toEqual([]);
});

test("package.json allows the install scripts of every package that has one, so that npm doesn't block them", () => {
  const { allowScripts } = read("package.json") as { allowScripts: Record<string, boolean> };
  const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    path && hasInstallScript ? [path.slice(path.lastIndexOf("node_modules/") + 13)] : [],
  );
  expect(Object.keys(allowScripts).toSorted()).toEqual(scripted.toSorted());
});

test("docs/dependencies.md lists every direct dependency with its license", () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/dependencies.md"), "utf8");
  const kinds = read("package.json") as Record<string, Record<string, string>>;
  const direct = ["dependencies", "optionalDependencies", "devDependencies"].flatMap((kind) =>
    Object.keys(kinds[kind]!).filter((name) => !name.startsWith("@types/")),
  );
  const rows = page.matchAll(/^\| (@?[a-z]\S*) +\| .* \| (\S.*?) +\| .* \| .* \|$/gm);
  const listed = new Map([...rows].map(([, name, license]) => [name!, license!]));
  const expected = direct.map((name) => [name, lock.packages[`node_modules/${name}`]!.license!]);
  expect([...listed].toSorted()).toEqual(expected.toSorted());
});
