export const MAIL_FORMATS = ["maildir", "mbox"] as const;

export type MailFormat = (typeof MAIL_FORMATS)[number];

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
export const withLineFeeds = (content: Buffer): Buffer => {
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
