import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { CommandError } from "#server/cli/command-error.ts";
import { parseTable, type Table } from "#server/universal/imports/parse-table.ts";

/** @param file a path, or - for standard input */
export async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${(error as Error).message}`);
  }
}

/** @throws CommandError for broken JSON */
export async function readTable(file: string): Promise<Table> {
  const content = await readText(file);
  try {
    return await parseTable(content);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
}
