import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline/promises";

import { CommandError } from "#server/cli/command-error.ts";

/** The given hostname; in a terminal asks for it if there is none. */
export async function chooseHostname(given: string | undefined): Promise<string> {
  if (given) return given.toLowerCase();
  if (!process.stdin.isTTY)
    throw new CommandError("Pass the mail hostname: posthouse install --hostname mail.example.com");
  const suggested = machineName();
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const hint = suggested ? ` [${suggested}]` : ", such as mail.example.com";
    const answer = (await dialog.question(`Mail hostname${hint}: `)).trim();
    const hostname = answer || suggested;
    if (!hostname) throw new CommandError("Enter a mail hostname, such as mail.example.com");
    return hostname.toLowerCase();
  } finally {
    dialog.close();
  }
}

/** The machine's full name, if it has one with a dot. */
function machineName(): string {
  try {
    const name = execFileSync("hostname", ["-f"], { encoding: "utf8", timeout: 5_000 }).trim();
    return /\./.test(name) && !name.endsWith(".localdomain") ? name : "";
  } catch {
    return "";
  }
}
