import type { Connection } from "#server/db/client.ts";

import type { TableSum } from "./layout.ts";

/** Tables with settings, people and addresses. They change rarely, so a copy can be compared row by row. */
const COMPARED = [
  ...["instance", "companies", "people", "admins", "roles", "api_keys", "domains", "dkim_keys"],
  ...["addresses", "mailboxes", "aliases", "groups", "group_members", "app_passwords", "webhooks"],
];

/** Counts the rows of each compared table and hashes them, in any order. */
export async function sumTables({
  sql,
}: Pick<Connection, "sql">): Promise<Record<string, TableSum>> {
  const present = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name in ${sql(COMPARED)}`;
  const sums: Record<string, TableSum> = {};
  for (const { name } of present) {
    const [row] = await sql<[TableSum]>`
      select count(*)::int as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as hash
      from ${sql(name)} t`;
    sums[name] = { rows: row.rows, hash: row.hash };
  }
  return sums;
}

/** The sums that are equal in both: those of tables that didn't change in between. */
export function unchanged(
  before: Record<string, TableSum>,
  after: Record<string, TableSum>,
): Record<string, TableSum> {
  const isEqual = (name: string) =>
    before[name]?.hash === after[name]?.hash && before[name]?.rows === after[name]?.rows;
  return Object.fromEntries(Object.entries(after).filter(([name]) => isEqual(name)));
}
