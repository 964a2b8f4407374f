import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import ts from "typescript";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** Packages for rare work. Each takes 3 to 18 MB of a process for good, so it is imported at first use. */
const AT_FIRST_USE = [
  "@simplewebauthn/server",
  "@zxcvbn-ts/core",
  "@zxcvbn-ts/language-common",
  "acme-client",
  "imapflow",
  "mailauth",
  "mailparser",
  "node-forge",
  "openid-client",
  "undici",
];

test.each([
  "server/main.ts",
  "worker/main.ts",
  "mail/main.ts",
  "server/cli/start/run-appliance.ts",
])("an idle process of %s has loaded no package for rare work", (entry) => {
  const packages = packagesFrom(entry);
  expect(packages).toContain(entry.endsWith("main.ts") ? "drizzle-orm" : "ipaddr.js");
  expect([...packages].filter((name) => AT_FIRST_USE.some((rare) => isIn(name, rare)))).toEqual([]);
});

test.each(["start.ts", "run-appliance.ts"])(
  "the supervisor's %s leaves the database to the process of the start-up tasks",
  (file) => {
    const packages = packagesFrom(`server/cli/start/${file}`);
    expect(packages).toContain("node:fs");
    expect([...packages].filter((name) => ["postgres", "node:http"].includes(name))).toEqual([]);
  },
);

test("a command loads the driver of the database and the logger only if it needs them", () => {
  const packages = packagesFrom("server/cli/posthouse.ts");
  expect(packages).toContain("commander");
  expect([...packages].filter((name) => ["pino", "postgres"].includes(name))).toEqual([]);
});

test.each([
  "server/cli/with-database.ts",
  "server/core/platform/settings/read-settings.ts",
  "server/core/operations/ledger/ledger.ts",
  "server/core/operations/ledger/audit-mail.ts",
])("a quick command that uses %s loads neither the job queue nor the logger", (file) => {
  const packages = packagesFrom(file);
  expect(packages).toContain("drizzle-orm");
  const heavy = ["@node-rs/argon2", "graphile-worker", "pino", "zod"];
  expect([...packages].filter((name) => heavy.includes(name))).toEqual([]);
});

const isIn = (specifier: string, name: string) =>
  specifier === name || specifier.startsWith(`${name}/`);

/** The packages that a file imports statically, itself or through others. */
function packagesFrom(entry: string): Set<string> {
  const packages = new Set<string>();
  const files = new Set([resolve(ROOT, entry)]);
  for (const file of files)
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith("#")) files.add(resolve(ROOT, specifier.slice(1)));
      else if (specifier.startsWith(".")) files.add(resolve(dirname(file), specifier));
      else packages.add(specifier);
    }
  return packages;
}

/** What remains of a file's imports once its types are stripped. */
function importsOf(file: string): string[] {
  if (!file.endsWith(".ts")) return [];
  const { statements } = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.ESNext,
  );
  return statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement) && isErased(statement.importClause)) return [];
    if (ts.isExportDeclaration(statement) && statement.isTypeOnly) return [];
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    return moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
}

const isErased = (clause: ts.ImportClause | undefined) =>
  clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
