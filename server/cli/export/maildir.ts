import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { encodeFolder } from "#server/gateways/dovecot-imap.ts";

import { type FolderWriter, type Names, type SavedMessage, withLineFeeds } from "./mail-format.ts";

const FLAGS: Record<string, string> = {
  "\\Draft": "D",
  "\\Flagged": "F",
  "\\Answered": "R",
  "\\Seen": "S",
  "\\Deleted": "T",
};
/** `a` to `z` in file names. */
const KEYWORDS_MAX = 26;

/**
 * Opens a folder of a Maildir++, as Dovecot and Courier use it: the inbox is the Maildir itself, other folders are `.Parent.Child` in
 * it. Dots in names become `_`, because they separate folders.
 *
 * @param path of the folder; ["INBOX"] for the inbox
 */
export async function openMaildir(
  root: string,
  path: string[],
  names: Names,
): Promise<FolderWriter> {
  const isInbox = path.length === 1 && path[0] === "INBOX";
  const name = isInbox ? "" : names.take(`.${path.map(toName).join(".")}`);
  const folder = join(root, name);
  for (const part of ["cur", "new", "tmp"]) await mkdir(join(folder, part), { recursive: true });
  // Marks a folder of a Maildir++ for programs that deliver mail to it.
  if (!isInbox) await writeFile(join(folder, "maildirfolder"), "");
  const keywords: string[] = [];
  return {
    path: name || ".",
    async write(message) {
      const content = withLineFeeds(message.content);
      const file = join(folder, "cur", fileName(message, content.length, keywords));
      await writeFile(file, content, { flag: "wx", mode: 0o600 });
      await utimes(file, message.internalDate, message.internalDate);
    },
    async finish() {
      if (keywords.length === 0) return;
      const lines = keywords.map((keyword, at) => `${at} ${keyword}\n`);
      await writeFile(join(folder, "dovecot-keywords"), lines.join(""));
    },
  };
}

const toName = (part: string) => encodeFolder(part).replaceAll(/[./\0]/g, "_");

function fileName(
  { uid, flags, internalDate }: SavedMessage,
  size: number,
  keywords: string[],
): string {
  const letters = [...flags].map((flag) => FLAGS[flag] ?? keywordLetter(flag, keywords));
  // Dovecot only knows the keyword.
  if (flags.has("$Forwarded")) letters.push("P");
  const seconds = Math.floor(internalDate.getTime() / 1_000);
  return `${seconds}.U${uid}.posthouse,S=${size}:2,${letters.toSorted().join("")}`;
}

/** "" for what Maildir can't store: system flags such as `\Recent`, and keywords after the 26th of a folder. */
function keywordLetter(flag: string, keywords: string[]): string {
  if (flag.startsWith("\\")) return "";
  if (!keywords.includes(flag) && keywords.length < KEYWORDS_MAX) keywords.push(flag);
  const at = keywords.indexOf(flag);
  return at === -1 ? "" : String.fromCharCode("a".charCodeAt(0) + at);
}
