import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { Writable } from "node:stream";

import { decodeTextFile } from "#server/universal/imports/parse-table.ts";

import { CommandError } from "./failures.ts";

/**
 * Reads a secret from standard input: one line, which a terminal asks for and doesn't show. Every local user can read the arguments
 * of a command, and shells keep them, so a secret that was given there is used with a warning and hidden from now on.
 *
 * @param given the option's value: true or "-" for standard input, or the secret
 */
export async function askSecret(
  label: string,
  { flag, given }: { flag: string; given: string | true },
): Promise<string> {
  if (given !== true && given !== "-") {
    // Overwrites the arguments that ps(1) shows.
    process.title = "posthouse";
    console.error(
      `Warning: other users of this machine can see command lines. Use ${flag} without a value, and enter or pipe in the secret`,
    );
    return given;
  }
  const read = process.stdin.isTTY ? await askHidden(label) : await readInput("-");
  const secret = read.replace(/\r?\n$/, "");
  if (!secret) throw new CommandError(`${flag}: standard input is empty`);
  if (/[\r\n]/.test(secret))
    throw new CommandError(`${flag}: standard input has more than one line`);
  return secret;
}

/** Asks in the terminal, without echo. */
export function askHidden(label: string): Promise<string> {
  process.stderr.write(`${label}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const dialog = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    const cancel = () => {
      dialog.close();
      reject(new CommandError("Canceled"));
    };
    dialog.once("SIGINT", cancel);
    dialog.once("line", (line) => {
      process.stderr.write("\n");
      dialog.off("SIGINT", cancel);
      dialog.close();
      resolve(line);
    });
  });
}

/** Reads a text file in its encoding. @param file a path, or - for standard input */
export async function readInput(file: string): Promise<string> {
  try {
    return decodeTextFile(file === "-" ? await buffer(process.stdin) : await readFile(file));
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${(error as Error).message}`);
  }
}
