// Records the checksum of each new migration, so that a test notices when one is edited later.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "migrations");
const file = join(folder, "checksums.json");
/** @type {{ entries: { tag: string }[] }} */
const journal = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8"));
/** @type {Record<string, string>} */
const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

/** @param {string} tag */
const checksum = (tag) =>
  createHash("sha256")
    .update(readFileSync(join(folder, `${tag}.sql`)))
    .digest("hex");
const recorded = journal.entries.map(({ tag }) => [tag, known[tag] ?? checksum(tag)]);
writeFileSync(file, `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`);
