import { mkdir, open, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { encodeFolder } from "#server/gateways/dovecot-imap.ts";

export type MailFormat = "maildir" | "mbox";

export type SavedMessage = {
  uid: number;
  /** As in IMAP: `\Seen`, and keywords. */
  flags: ReadonlySet<string>;
  internalDate: Date;
  content: Buffer;
};

/** Writes the messages of one folder. */
export type FolderWriter = {
  /** Path of the folder or file, relative to the mailbox's. */
  path: string;
  write(message: SavedMessage): Promise<void>;
  finish(): Promise<void>;
};

/** As messages are stored in files; IMAP and SMTP end lines with CRLF. */
const withLineFeeds = (content: Buffer): Buffer => {
  const kept = Buffer.allocUnsafe(content.length);
  let length = 0;
  let from = 0;
  for (let at = content.indexOf("\r\n"); at !== -1; at = content.indexOf("\r\n", from)) {
    length += content.copy(kept, length, from, at);
    from = at + 1;
  }
  length += content.copy(kept, length, from);
  return kept.subarray(0, length);
};

const NAME_MAX = 200;

/** Names of files or folders, each used once, also where case doesn't matter. */
export class Names {
  readonly #used = new Set<string>();

  /** @param wanted without slashes, except those between folders */
  take(wanted: string): string {
    const short = wanted
      .split("/")
      .map((part) => shorten(part))
      .join("/");
    for (let number = 1; ; number++) {
      const name = number === 1 ? short : `${short}_${number}`;
      if (this.#used.has(name.toLowerCase())) continue;
      this.#used.add(name.toLowerCase());
      return name;
    }
  }
}

/** File names may have 255 bytes. */
function shorten(part: string): string {
  let short = part;
  while (Buffer.byteLength(short) > NAME_MAX) short = short.slice(0, -1);
  return short;
}

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

const DAYS = "Sun Mon Tue Wed Thu Fri Sat".split(" ");
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * Opens a folder as an mbox file (mboxrd): `Parent/Child.mbox`. Flags are in the header fields Status, X-Status and X-Keywords,
 * as mutt, Dovecot and others read them.
 */
export async function openMbox(root: string, path: string[], names: Names): Promise<FolderWriter> {
  const name = `${names.take(path.map(toMboxName).join("/"))}.mbox`;
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
const toMboxName = (part: string) =>
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
