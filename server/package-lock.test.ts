import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

type Lock = {
  packages: Record<string, { version?: string; resolved?: string; hasInstallScript?: boolean }>;
};

const read = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", file), "utf8")) as unknown;
const lock = read("package-lock.json") as Lock;

/** Packages with an advisory that applies to this appliance, and the first version without it. */
const FIRST_SAFE: Record<string, string> = {
  // CVE-2026-39356: SQL injection by identifiers.
  "drizzle-orm": "0.45.2",
  // Denial of service, and a bypass of middleware.
  next: "16.2.11",
  // Forged signatures and certificate chains.
  "node-forge": "1.4.0",
  // GHSA-2x7j-588g-ccc2: quadratic time to parse the addresses of an untrusted message. mailauth and mailparser use it too.
  nodemailer: "9.1.0",
};

/** Numeric parts only: a prerelease of the first safe version counts as safe. */
function isBefore(version: string, other: string): boolean {
  const [ours, theirs] = [version, other].map((text) => text.split(/[.-]/).map(Number));
  const at = ours!.findIndex((part, place) => part !== theirs![place]);
  return at !== -1 && ours![at]! < (theirs![at] ?? 0);
}

function vulnerable({ packages }: Lock): string[] {
  return Object.entries(packages).flatMap(([path, { version }]) => {
    const safe = FIRST_SAFE[path.slice(path.lastIndexOf("node_modules/") + 13)];
    return safe && version && isBefore(version, safe) ? `${path} ${version} < ${safe}` : [];
  });
}

test("no package in the lock file has a known vulnerability, not even below another package", () => {
  expect(vulnerable(lock)).toEqual([]);
  const installed = Object.keys(lock.packages);
  for (const name of Object.keys(FIRST_SAFE)) expect(installed).toContain(`node_modules/${name}`);
});

test("a vulnerable version below another package is found", () => {
  const packages = {
    "node_modules/nodemailer": { version: "10.6.1" },
    "node_modules/mailauth/node_modules/nodemailer": { version: "9.0.27" },
    "node_modules/mailparser/node_modules/nodemailer": { version: "9.1.0" },
  };
  expect(vulnerable({ packages })).toEqual([
    "node_modules/mailauth/node_modules/nodemailer 9.0.27 < 9.1.0",
  ]);
});

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
