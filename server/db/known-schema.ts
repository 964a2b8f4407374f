import { readFileSync } from "node:fs";
import { join } from "node:path";

const JOURNAL = join(import.meta.dirname, "../../drizzle/migrations/meta/_journal.json");

/** The time of this version's last migration, in milliseconds. It identifies the schema. */
export function knownSchema(): number {
  const { entries } = JSON.parse(readFileSync(JOURNAL, "utf8")) as { entries: { when: number }[] };
  return entries.at(-1)!.when;
}
