import type { FetchMessageObject, FetchQueryObject, ImapFlow } from "imapflow";

import { toSequenceSet } from "#server/gateways/dovecot-imap.ts";
import { ImapSourceError } from "#server/gateways/imap-source.ts";

/** A message of a folder, without its content. */
export type ListedMessage = {
  uid: number;
  size: number;
  /** Sorted, separated by spaces. */
  flags: string;
  internalDate: Date | undefined;
  /** How the server names a message that it shows in several folders (Gmail, RFC 8474). Undefined at other servers. */
  emailId: string | undefined;
};

/** Limit per folder. */
const MESSAGES_MAX = 500_000;

/** What a listed message takes in memory, without its flags. */
const LISTED_BYTES = 200;

const LISTING_BYTES_MAX = MESSAGES_MAX * 300;

const KEYWORD = /^[A-Za-z0-9$_.+&-]{1,50}$/;
const SYSTEM_FLAGS = new Set(["\\Seen", "\\Answered", "\\Flagged", "\\Deleted", "\\Draft"]);

/** The flags that can be set in a mailbox: no `\Recent`, and no keywords that Dovecot doesn't accept. */
const toFlags = (flags: Iterable<string> = []): string =>
  [...flags]
    .filter((flag) => SYSTEM_FLAGS.has(flag) || KEYWORD.test(flag))
    .toSorted()
    .join(" ");

export const splitFlags = (flags: string): string[] => flags.split(" ").filter(Boolean);

/**
 * Messages of the open folder, by UID. All if `uids` is left out.
 *
 * @throws ImapSourceError `denied` if the folder has too many
 */
export async function listMessages(client: ImapFlow, uids?: number[]): Promise<ListedMessage[]> {
  const query = { uid: true, size: true, flags: true, internalDate: true };
  if (!uids && client.mailbox && client.mailbox.exists > MESSAGES_MAX)
    throw new ImapSourceError("denied", `It has more than ${MESSAGES_MAX} messages`);
  const found: ListedMessage[] = [];
  for (const range of uids ? rangesOf(uids) : ["1:*"]) {
    const listed = await fetchEach(client, range, query, {
      read: ({ internalDate, ...message }) => ({
        uid: message.uid,
        size: message.size ?? 0,
        flags: toFlags(message.flags),
        internalDate: readDate(internalDate),
        emailId: readEmailId(message.emailId),
      }),
      bytesOf: ({ flags }) => LISTED_BYTES + flags.length,
      bytesMax: LISTING_BYTES_MAX,
    });
    for (const message of listed.values()) found.push(message);
  }
  return found.toSorted((a, b) => a.uid - b.uid);
}

/**
 * From a folder that shows the messages of all other folders, keeps those that no other folder had. Keeps none at a server
 * without ids, such as Dovecot with a virtual folder: nothing shows which messages are elsewhere.
 */
export const withoutSeen = (
  messages: ListedMessage[],
  seenElsewhere: ReadonlySet<string>,
): ListedMessage[] =>
  messages.filter(({ emailId }) => emailId !== undefined && !seenElsewhere.has(emailId));

/** The Message-IDs of messages that have one. */
export async function listMessageIds(
  client: ImapFlow,
  uids: number[],
): Promise<Map<number, string>> {
  const found: [uid: number, id: string][] = [];
  const query = { uid: true, headers: ["message-id"] };
  for (const range of rangesOf(uids)) {
    const ids = await fetchEach(client, range, query, {
      read: ({ headers }) => readMessageId(headers),
      bytesOf: () => MESSAGE_ID_BYTES_MAX,
      bytesMax: UIDS_PER_COMMAND * MESSAGE_ID_BYTES_MAX,
    });
    found.push(...ids);
  }
  return new Map(found);
}

/** Keeps command lines short. */
const UIDS_PER_COMMAND = 500;

/** Ascending UIDs as sequence sets for several commands. */
export const rangesOf = (uids: number[]): string[] =>
  Array.from({ length: Math.ceil(uids.length / UIDS_PER_COMMAND) }, (_, at) =>
    toSequenceSet(uids.slice(at * UIDS_PER_COMMAND, (at + 1) * UIDS_PER_COMMAND)),
  );

/** The field with its name; the rest of a longer one is ignored. */
const MESSAGE_ID_BYTES_MAX = 1_000;

const readMessageId = (headers: Buffer | undefined) =>
  headers
    ?.subarray(0, MESSAGE_ID_BYTES_MAX)
    .toString()
    .replace(/^message-id:/i, "")
    .replaceAll(/\s+/g, "") || undefined;

/** RFC 8474, section 5. */
const EMAIL_ID_MAX = 255;

const readEmailId = (id: string | undefined) =>
  id !== undefined && id.length <= EMAIL_ID_MAX ? id : undefined;

/**
 * The content of messages. Those that were deleted meanwhile are missing.
 *
 * @param bytesMax of all, whatever sizes the server announced
 * @throws ImapSourceError `refused` above that, and closes the connection
 */
export const fetchContents = (
  client: ImapFlow,
  uids: number[],
  bytesMax: number,
): Promise<Map<number, Buffer>> =>
  fetchEach(
    client,
    toSequenceSet(uids),
    { uid: true, source: true },
    { read: ({ source }) => source, bytesOf: ({ length }) => length, bytesMax },
  );

type Reading<T> = {
  read: (message: FetchMessageObject) => T | undefined;
  /** In memory. */
  bytesOf: (value: T) => number;
  bytesMax: number;
};

/** Reads each message once, by UID: imapflow repeats a fetch that was throttled. */
async function fetchEach<T>(
  client: ImapFlow,
  range: string,
  query: FetchQueryObject,
  { read, bytesOf, bytesMax }: Reading<T>,
): Promise<Map<number, T>> {
  const found = new Map<number, T>();
  const { mailbox } = client;
  if (mailbox === false || mailbox.exists === 0) return found;
  const costOf = (value: T | undefined) => (value === undefined ? 0 : bytesOf(value));
  let [held, received] = [0, 0];
  for await (const message of client.fetch(range, query, { uid: range !== "1:*" })) {
    const value = read(message);
    // At least 1, so that messages without content end, too.
    received += Math.max(costOf(value), 1);
    if (value !== undefined) {
      held += costOf(value) - costOf(found.get(message.uid));
      found.set(message.uid, value);
    }
    // Twice, for a fetch that was repeated.
    if (held > bytesMax || received > 2 * bytesMax) {
      client.close();
      throw new ImapSourceError("refused", "The server sends more data than it announced");
    }
  }
  return found;
}

const YEAR_MAX = 9999;

/** Undefined for what isn't a date, so that the message gets the current one. */
function readDate(date: Date | string | undefined): Date | undefined {
  const read = date === undefined ? undefined : new Date(date);
  const year = read?.getUTCFullYear();
  return year === undefined || Number.isNaN(year) || year < 0 || year > YEAR_MAX ? undefined : read;
}

/**
 * Messages of the open folder of the mailbox that no import has recorded: saved just before a process was killed, imported
 * by other means, or received here. An import must not add them again.
 */
export class ExistingMessages {
  readonly #uids = new Map<string, number[]>();

  static async read(target: ImapFlow, recorded: ReadonlySet<number>): Promise<ExistingMessages> {
    const existing = new ExistingMessages();
    const all = (await target.search({ all: true }, { uid: true })) || [];
    const uids = all.filter((uid) => !recorded.has(uid));
    const others = await listMessages(target, uids);
    const ids = await listMessageIds(target, uids);
    for (const message of others) {
      const key = fingerprint(message, ids.get(message.uid));
      existing.#uids.set(key, [...(existing.#uids.get(key) ?? []), message.uid]);
    }
    return existing;
  }

  get isEmpty(): boolean {
    return this.#uids.size === 0;
  }

  /** The UID of the same message here; null if there is none. Each is returned once. */
  take(message: ListedMessage, messageId: string | undefined): number | null {
    return this.#uids.get(fingerprint(message, messageId))?.shift() ?? null;
  }
}

/** The Message-ID and the time of arrival, which an import preserves. Without a Message-ID, the size. */
const fingerprint = (
  { size, internalDate }: Pick<ListedMessage, "size" | "internalDate">,
  messageId: string | undefined,
): string =>
  `${messageId ?? `${size} bytes`} ${internalDate ? Math.floor(internalDate.getTime() / 1_000) : ""}`;
