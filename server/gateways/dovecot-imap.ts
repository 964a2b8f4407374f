import { readFile } from "node:fs/promises";

import type { ImapFlow } from "imapflow";

import { config } from "#server/config.ts";

import { apiKeyFile, dovecotSocket } from "./dovecot.ts";
import { type HostLink, linkClientOptions } from "./host-link.ts";

/** The name with which the appliance itself opens mailboxes, with the key of the doveadm API as the password. */
export const IMAP_MASTER = "posthouse";

/** Dovecot takes as long to save a batch on a busy disk. */
const SILENCE_TIMEOUT_MS = 120_000;

/** Opens a mailbox of the Dovecot that runs on a data folder, on a socket that accepts no other users. */
export async function openMailbox(
  address: string,
  dataFolder = config().dataFolder,
): Promise<ImapFlow> {
  const key = await readFile(apiKeyFile(dataFolder), "utf8");
  return signIn(address, key, { secure: false, tls: { path: dovecotSocket(dataFolder, "imap") } });
}

/** The same on another mail host. */
export function openLinkedMailbox(address: string, link: HostLink, key: string): Promise<ImapFlow> {
  const { host, port } = link;
  const tls = { host, port, ...linkClientOptions(link, "imap") };
  return signIn(address, key, { secure: true, tls });
}

async function signIn(
  address: string,
  key: string,
  { secure, tls }: { secure: boolean; tls: object },
): Promise<ImapFlow> {
  const { ImapFlow } = await import("imapflow");
  const client = new ImapFlow({
    // What `tls` says has priority, also without TLS.
    host: "localhost",
    port: 143,
    secure,
    tls,
    doSTARTTLS: false,
    disableCompression: true,
    auth: { user: IMAP_MASTER, pass: key, authzid: address, loginMethod: "AUTH=PLAIN" },
    logger: false,
    disableAutoIdle: true,
    socketTimeout: SILENCE_TIMEOUT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

export type AppendedMessage = { content: Buffer; flags: string[]; internalDate: Date | undefined };

/** The command that imapflow's `append` uses, for several messages (RFC 3502). */
type WithExec = { exec(command: string, attributes: unknown[]): Promise<ExecResult> };
type ExecResult = {
  response: { attributes?: { section?: { value: string }[] }[] };
  next: () => void;
};

/**
 * Adds messages to a folder in one transaction: all or none.
 *
 * @returns their UIDs, in order
 * @throws the server's error, with `serverResponseCode` (OVERQUOTA: the mailbox or the disk is full)
 */
export async function appendMessages(
  client: ImapFlow,
  folder: string,
  messages: AppendedMessage[],
): Promise<number[]> {
  const attributes = messages.flatMap(({ content, flags, internalDate }) => [
    flags.map((flag) => ({ type: "ATOM", value: flag })),
    ...(internalDate ? [{ type: "STRING", value: imapDate(internalDate) }] : []),
    { type: "LITERAL", value: content },
  ]);
  const name = { type: "STRING", value: encodeFolder(folder) };
  const { response, next } = await (client as unknown as WithExec).exec("APPEND", [
    name,
    ...attributes,
  ]);
  next();
  const [code, , uids] = response.attributes?.[0]?.section ?? [];
  if (code?.value.toUpperCase() !== "APPENDUID" || !uids)
    throw new Error("Dovecot didn't return the UIDs of new messages");
  return readSequenceSet(uids.value);
}

/** Dovecot's limit for each level of a folder, as `encodeFolder` returns it. */
export const FOLDER_OCTETS_MAX = 255;
/** A name that the storage uses itself, so that no level of a folder can have it. */
export const RESERVED_FOLDER = "dbox-Mails";

/** Modified UTF-7 (RFC 3501, section 5.1.3), as Dovecot stores and counts names. */
export const encodeFolder = (path: string): string =>
  path.replaceAll(/&|[^\x20-\x7e]+/g, (part) => {
    if (part === "&") return "&-";
    const encoded = Buffer.from(part, "utf16le").swap16().toString("base64");
    return `&${encoded.replaceAll("/", ",").replace(/=+$/, "")}-`;
  });

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `date-time` of RFC 9051, in UTC. */
function imapDate(date: Date): string {
  const [day, time] = date.toISOString().split("T");
  const [year, month, dayOfMonth] = day!.split("-");
  return `${dayOfMonth}-${MONTHS[Number(month) - 1]}-${year} ${time!.slice(0, 8)} +0000`;
}

/** `5:8,10` as 5, 6, 7, 8, 10. */
export function readSequenceSet(set: string): number[] {
  return set.split(",").flatMap((range) => {
    const [first, last = first] = range.split(":").map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, at) => first! + at);
  });
}

/** Ascending numbers as a sequence set. */
export function toSequenceSet(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}:${last}`)).join(",");
}
