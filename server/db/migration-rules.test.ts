import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { MIGRATIONS, readJournal } from "#server/testing/old-schema.ts";

/** Migrations up to this one are in 0.1.0, which no version came before. */
const LAST_OF_FIRST_RELEASE = "0000_initial";

/** Statements that break the previous version, which may still run on other hosts while the first one migrates. */
const BREAKING = [
  // Without a key or unique index, its ON CONFLICT clauses fail.
  /\bdrop\s+(table|column|view|function|type|sequence|constraint|index)\b/i,
  /\brename\b/i,
  /\bset\s+not\s+null\b/i,
  /\bset\s+data\s+type\b|\balter\s+column\s+\S+\s+type\b/i,
  /\badd\s+column\b(?!.*\b(default|generated)\b).*\bnot\s+null\b/i,
  /\badd\s+constraint\b/i,
  /\bcreate\s+unique\s+index\b/i,
];
/** A comment with this text, anywhere in the statement, says why the previous version isn't affected. */
const REASON = /--\s*Previous version: \S+/;

/** The statements that need a reason and have none. New tables don't matter to the previous version. */
function unexplained(text: string): string[] {
  const created = [...text.matchAll(/create\s+(?:unlogged\s+)?table\s+"(\w+)"/gi)].map(
    ([, name]) => name!,
  );
  const isAboutNew = (statement: string) =>
    created.some((name) =>
      new RegExp(`\\b(table|on)\\s+(only\\s+)?"${name}"`, "i").test(statement),
    );
  return text
    .split("--> statement-breakpoint")
    .filter((statement) => {
      const code = statement.replaceAll(/--.*$/gm, "");
      return BREAKING.some((pattern) => pattern.test(code));
    })
    .filter((statement) => !isAboutNew(statement) && !REASON.test(statement))
    .map((statement) => statement.trim());
}

test("migrations keep the previous version working, or say why it isn't affected", async () => {
  const { entries } = await readJournal();
  const released = entries.findIndex(({ tag }) => tag === LAST_OF_FIRST_RELEASE);
  expect(released).toBe(0);
  for (const { tag } of entries.slice(released + 1)) {
    const text = await readFile(join(MIGRATIONS, `${tag}.sql`), "utf8");
    expect(unexplained(text), tag).toEqual([]);
  }
});

test.each([
  'ALTER TABLE "emails" DROP COLUMN "subject";',
  'DROP TABLE "emails";',
  'ALTER TABLE "emails" DROP CONSTRAINT "emails_pkey";',
  'ALTER TABLE "emails" RENAME COLUMN "subject" TO "title";',
  'ALTER TABLE "emails" ALTER COLUMN "subject" SET NOT NULL;',
  'ALTER TABLE "emails" ALTER COLUMN "size" SET DATA TYPE bigint;',
  'ALTER TABLE "emails" ADD COLUMN "topic" text NOT NULL;',
  'ALTER TABLE "emails" ADD CONSTRAINT "emails_size_check" CHECK (size > 0);',
  'CREATE UNIQUE INDEX "emails_key" ON "emails" USING btree ("message_id");',
])("%s needs a reason", (statement) => {
  expect(unexplained(statement)).toEqual([statement]);
  expect(unexplained(`-- Previous version: never writes it\n${statement}`)).toEqual([]);
});

test.each([
  'ALTER TABLE "emails" ADD COLUMN "topic" text;',
  `ALTER TABLE "emails" ADD COLUMN "topic" text DEFAULT '' NOT NULL;`,
  'CREATE TABLE "topics" ("id" uuid PRIMARY KEY NOT NULL);--> statement-breakpoint\nCREATE UNIQUE INDEX "topics_key" ON "topics" USING btree ("id");',
  'CREATE INDEX "emails_size_idx" ON "emails" USING btree ("size");',
])("%s is safe", (text) => {
  expect(unexplained(text)).toEqual([]);
});
