import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

import {
  EXPORTED,
  EXPORTED_MESSAGES,
  fileOf,
} from "#server/core/operations/export/exported-tables.ts";
import type { Snapshot } from "#server/core/operations/export/take-snapshot.ts";

/** Never replaces a file: a name collision would lose data. */
export const writeNew = (file: string, content: string | Buffer): Promise<void> =>
  writeFile(file, content, { flag: "wx", mode: 0o600 });

/**
 * Writes everything but the mail of mailboxes.
 *
 * @returns how many rows each NDJSON file has, and files each other folder
 */
export async function writeRecords(
  snapshot: Snapshot,
  folder: string,
  { includesKeys }: { includesKeys: boolean },
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await mkdir(join(folder, "data"));
  for (const table of Object.keys(EXPORTED)) {
    const file = `data/${fileOf(table)}`;
    counts[file] = await writeLines(join(folder, file), snapshot.lines(table));
  }
  /** Each file in a subfolder, which is only created for the first one. */
  const write = async (name: string, content: string | Buffer) => {
    const kind = `${dirname(name)}/`;
    if (counts[kind] === undefined) await mkdir(join(folder, kind));
    counts[kind] = (counts[kind] ?? 0) + 1;
    await writeNew(join(folder, name), content);
  };
  for (const kind of Object.keys(EXPORTED_MESSAGES) as (keyof typeof EXPORTED_MESSAGES)[])
    for await (const { id, content } of snapshot.messages(kind))
      await write(`${kind}/${id}.eml`, content);
  for await (const { domain, text } of snapshot.zones()) await write(`dns/${domain}.zone`, text);
  if (includesKeys)
    for await (const { domain, selector, pem } of snapshot.dkimPrivateKeys())
      await write(`dkim-private-keys/${selector}.${domain}.pem`, pem);
  for (const { mailbox, script } of await snapshot.sieveScripts())
    if (script !== "") await write(`sieve/${mailbox}.sieve`, script);
  return counts;
}

async function writeLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const line of lines) {
      count += 1;
      yield line;
    }
  }
  await pipeline(counted, createWriteStream(file, { flags: "wx", mode: 0o600 }));
  return count;
}
