import { getTableName, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";

import * as schema from "#drizzle/schema/index.ts";

import { EXPORTED, EXPORTED_MESSAGES, fileOf, LEFT_OUT } from "./exported-tables.ts";

const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const TABLES = new Map<string, { columns: string[]; parents: string[] }>(
  Object.values(schema)
    .filter((value) => is(value, PgTable))
    .map((table) => {
      const { columns, foreignKeys } = getTableConfig(table);
      const parents = foreignKeys.map((key) => getTableName(key.reference().foreignTable));
      return [getTableName(table), { columns: columns.map(({ name }) => toSnake(name)), parents }];
    }),
);

/** Those with a company, and those that refer to one of them. */
function companyTables(): string[] {
  const found = new Set(
    [...TABLES].filter(([, { columns }]) => columns.includes("company_id")).map(([name]) => name),
  );
  found.add("companies");
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const [name, { parents }] of TABLES)
      if (parents.some((parent) => found.has(parent))) found.add(name);
  }
  return [...found].toSorted();
}

const SOURCES = Object.values(EXPORTED_MESSAGES).map(({ table }) => table);

test("every table of a company is exported or deliberately left out", () => {
  const known = [...Object.keys(EXPORTED), ...SOURCES, ...Object.keys(LEFT_OUT)];
  expect(known.toSorted()).toEqual(companyTables());
});

test("secrets are never exported", () => {
  const secret = /secret|sealed|hash|password|token|private/;
  /** These are published in DNS, hashes of what was sent, or settings. */
  const harmless = [
    "domains.ownership_token",
    "email_events.message_hash",
    "mailboxes.force_password_change",
    "org_units.app_passwords_allowed",
    "org_units.password_length_min",
  ];
  const exported = Object.entries(EXPORTED).flatMap(([table, { omit = [] }]) =>
    TABLES.get(table)!
      .columns.filter((column) => secret.test(column) && !omit.includes(column))
      .map((column) => `${table}.${column}`),
  );
  expect(exported.toSorted()).toEqual(harmless.toSorted());
});

test("omitted columns exist, and files have different names", () => {
  for (const [table, { omit = [] }] of Object.entries(EXPORTED))
    expect(TABLES.get(table)!.columns).toEqual(expect.arrayContaining(omit));
  const files = Object.keys(EXPORTED).map(fileOf);
  expect(new Set(files).size).toBe(files.length);
});
