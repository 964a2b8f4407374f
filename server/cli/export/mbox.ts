import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";

import { type FolderWriter, type Names, type SavedMessage, withLineFeeds } from "./mail-format.ts";

const DAYS = "Sun Mon Tue Wed Thu Fri Sat".split(" ");
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * Opens a folder as an mbox file (mboxrd): `Parent/Child.mbox`. Flags are in the header fields Status, X-Status and X-Keywords,
 * as mutt, Dovecot and others read them.
 */
export async function openMbox(root: string, path: string[], names: Names): Promise<FolderWriter> {
  const name = `${names.take(path.map(toName).join("/"))}.mbox`;
  await mkdir(dirname(join(root, name)), { recursive: true });
  const file = await open(join(root, name), "wx", 0o600);
  return {
    path: name,
    async write(message) {
      await file.appendFile(toMbox(message));
    },
    finish: () => file.close(),
  };
}

/**
 * Without what is special in paths. A name that starts with a dot would be hidden, and a folder for the children of `A.mbox` could be
 * in the way of the file for `A`.
 */
const toName = (part: string) =>
  part
    .replaceAll(/[/\\\0]/g, "_")
    .replace(/^\./, "_")
    .replace(/\.mbox$/i, "_mbox") || "_";

export function toMbox({ content, flags, internalDate }: SavedMessage): Buffer {
  const [header, rest] = splitHeader(withLineFeeds(content).toString("latin1"));
  const fields = header.replaceAll(/^(Status|X-Status|X-Keywords):.*\n([ \t].*\n)*/gim, "");
  const sender = /^Return-Path:\s*<([^<>\s]+)>/im.exec(header)?.[1] ?? "MAILER-DAEMON";
  const message = `${fields}${statusFields(flags)}${rest}`;
  const quoted = message.replaceAll(/^(>*From )/gm, ">$1");
  const ending = quoted.endsWith("\n") ? "\n" : "\n\n";
  return Buffer.from(`From ${sender} ${asctime(internalDate)}\n${quoted}${ending}`, "latin1");
}

/** The rest starts with the empty line. */
function splitHeader(text: string): [header: string, rest: string] {
  if (text.startsWith("\n")) return ["", text];
  const end = text.indexOf("\n\n") + 1;
  if (end > 0) return [text.slice(0, end), text.slice(end)];
  return [text === "" || text.endsWith("\n") ? text : `${text}\n`, "\n"];
}

function statusFields(flags: ReadonlySet<string>): string {
  const letters = (known: Record<string, string>) =>
    Object.entries(known)
      .map(([flag, letter]) => (flags.has(flag) ? letter : ""))
      .join("");
  const more = letters({ "\\Answered": "A", "\\Flagged": "F", "\\Draft": "T", "\\Deleted": "D" });
  const keywords = [...flags].filter((flag) => !flag.startsWith("\\"));
  return [
    `Status: ${letters({ "\\Seen": "R" })}O\n`,
    more && `X-Status: ${more}\n`,
    keywords.length > 0 && `X-Keywords: ${keywords.join(" ")}\n`,
  ]
    .filter(Boolean)
    .join("");
}

/** In UTC. */
function asctime(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, " ");
  const time = date.toISOString().slice(11, 19);
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${day} ${time} ${date.getUTCFullYear()}`;
}
