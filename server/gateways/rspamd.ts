import { domainToASCII } from "node:url";

import type * as Undici from "undici";
import { z } from "zod";

import { DEBIAN_PACKAGES, installCommand } from "./debian-packages.mjs";
import { socketIn } from "./dovecot.ts";

/** Where Debian's package installs rspamd. */
export const RSPAMD_BINARY = DEBIAN_PACKAGES.spamFilter.rspamd;
export const INSTALL_RSPAMD = installCommand(DEBIAN_PACKAGES.spamFilter);

/** rspamd itself times out after 8 s. */
const SCAN_TIMEOUT_MS = 10_000;

const LEARN_TIMEOUT_MS = 20_000;
const PING_TIMEOUT_MS = 3_000;

/** Each recipient is a header line of the request. */
const RECIPIENTS_MAX = 100;

export type Scanned = {
  content: Buffer;
  sender: string;
  recipients: string[];
  /** Null for mail that isn't from a server. */
  helo: string | null;
  /** Null if unknown. */
  clientAddress: string | null;
  /** Who was authenticated to send the message. */
  user?: string;
  /** Verified by forward-confirmed reverse DNS. */
  hostName: string | null;
};

/**
 * With Redis configured, rspamd greylists: before running any rule it answers `soft reject` with score 0,
 * even when the message is retried. Posthouse does its own greylisting, so these symbols are disabled.
 */
const SETTINGS = JSON.stringify({ symbols_disabled: ["GREYLIST_CHECK", "GREYLIST_SAVE"] });

const scanAnswer = z.object({
  score: z.number().nullish(),
  required_score: z.number().nullish(),
  action: z.string(),
  symbols: z.record(z.string(), z.object({ score: z.number().nullable().catch(null) })),
  messages: z.object({ smtp_message: z.string().optional() }).catch({}),
});

export type Scan = {
  score: number;
  /** The score from which rspamd itself rejects. */
  rejectScore: number | null;
  /** `no action`, `greylist`, `add header`, `rewrite subject`, `reject`, `quarantine`, `discard`. */
  action: string;
  symbols: { name: string; score: number }[];
  /** The text of a rejection; empty if none. */
  text: string;
};

/**
 * Scans a message with rspamd. Its URL comes from the operator's settings only and is usually on loopback,
 * so the SSRF guard of other outgoing HTTP doesn't apply.
 *
 * @param url of a worker that scans: `normal`, or the controller
 * @throws RspamdError if it can't be reached, doesn't respond within ten seconds, or gives no verdict
 */
export async function scanMessage(
  url: string,
  { content, ...envelope }: Scanned,
  { timeoutMs = SCAN_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<Scan> {
  const { status, body } = await ask(url, "/checkv2", {
    content,
    headers: envelopeHeaders(envelope),
    timeoutMs,
  });
  const answer = scanAnswer.safeParse(parseJson(body));
  if (status !== 200 || !answer.success)
    throw new RspamdError(`rspamd returned HTTP ${status} for a message`, { isThere: true });
  const { score, required_score, action, symbols, messages } = answer.data;
  // A soft reject, such as from a rate limit, says nothing about the message.
  if (action === "soft reject" || typeof score !== "number")
    throw new RspamdError("rspamd returned no verdict", { isThere: true });
  return {
    score,
    rejectScore: required_score ?? null,
    action,
    symbols: Object.entries(symbols).map(([name, symbol]) => ({ name, score: symbol.score ?? 0 })),
    text: messages.smtp_message ?? "",
  };
}

const envelopeHeaders = ({
  clientAddress,
  user,
  hostName,
  helo,
  sender,
  recipients,
}: Omit<Scanned, "content">): Record<string, string | string[]> => ({
  ...(clientAddress !== null && { IP: headerText(clientAddress) }),
  ...(user !== undefined && { User: headerText(user) }),
  ...(hostName !== null && { Hostname: headerText(hostName) }),
  ...(helo !== null && { Helo: headerText(helo) }),
  From: addressText(sender),
  Rcpt: recipients.slice(0, RECIPIENTS_MAX).map(addressText),
  Settings: SETTINGS,
});

/** `known`: already learned before. `declined`: it can't learn, or can't learn from this message. */
export type Learned = "learned" | "known" | "declined";

/**
 * Teaches rspamd that a message is spam or ham. `url` can be that of the `normal` worker or of the
 * controller, which learns and by default listens on the next port.
 *
 * `declined` has several causes that rspamd reports as one ("all learn conditions denied"): the text is too
 * short, its verdict is already certain, or there is no statistics backend.
 *
 * @throws RspamdError when it can't be reached or rejects the request
 */
export async function learnMessage(
  url: string,
  kind: "spam" | "ham",
  content: Buffer,
): Promise<Learned> {
  const path = `/learn${kind}`;
  const { status, body } = await askController(url, path, {
    content,
    timeoutMs: LEARN_TIMEOUT_MS,
  });
  if (status === 200) return "learned";
  if (status === 204) return "declined";
  // 208 with a Redis backend, 404 with SQLite.
  if (status === 208 || (status === 404 && body.includes("already learned"))) return "known";
  throw new RspamdError(`rspamd returned HTTP ${status} for ${path}`, { isThere: true });
}

const statAnswer = z.object({
  statfiles: z.array(z.object({ symbol: z.string(), revision: z.number().catch(0) })),
});

/**
 * Returns how many messages rspamd has learned so far.
 *
 * @throws RspamdError when it can't be reached or rejects the request
 */
export async function countLearned(url: string): Promise<{ spam: number; ham: number }> {
  const { status, body } = await askController(url, "/stat", { timeoutMs: PING_TIMEOUT_MS });
  const answer = statAnswer.safeParse(parseJson(body));
  if (status !== 200 || !answer.success)
    throw new RspamdError(`rspamd returned HTTP ${status} for /stat`, { isThere: true });
  const count = (isSpam: boolean) =>
    answer.data.statfiles
      .filter(({ symbol }) => symbol.includes("SPAM") === isSpam)
      .reduce((sum, { revision }) => sum + revision, 0);
  return { spam: count(true), ham: count(false) };
}

/**
 * Checks that rspamd responds.
 *
 * @returns its version, or "" if it doesn't report one
 * @throws RspamdError if it can't be reached
 */
export async function pingRspamd(url: string): Promise<string> {
  const { status, server } = await ask(url, "/ping", { timeoutMs: PING_TIMEOUT_MS });
  const [, version] = /^rspamd\/(\S+)/.exec(server) ?? [];
  if (status !== 200 || version === undefined)
    throw new RspamdError(`The server at this URL is not rspamd (HTTP ${status})`, {
      isThere: true,
    });
  return version;
}

const headerText = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "_");

/**
 * rspamd 3.4 treats a non-ASCII address (RFC 6531) as a broken header, which costs such mail 8 points. It
 * only needs the domain.
 */
function addressText(address: string): string {
  const at = address.lastIndexOf("@");
  if (at === -1) return `<${headerText(address)}>`;
  const domain = address.slice(at + 1);
  return `<${headerText(address.slice(0, at))}@${headerText(domainToASCII(domain) || domain)}>`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const LONGEST_ANSWER_MS = 20_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** Further requests are queued, since its worker handles one at a time. */
const CONNECTIONS = 16;

/** rspamd can't be reached, or rejected the request. */
export class RspamdError extends Error {
  override name = "RspamdError";
  /** rspamd responded, even if it rejected this message, so the next request is worth a try. */
  readonly isThere: boolean;

  constructor(message: string, { isThere, cause }: { isThere: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isThere = isThere;
  }
}

const AGENT_OPTIONS = {
  connections: CONNECTIONS,
  maxResponseSize: ANSWER_BYTES_MAX,
  headersTimeout: LONGEST_ANSWER_MS,
};

const SOCKETS = "unix:";
const isSocketFolder = (url: string) => url.startsWith(SOCKETS);

/**
 * The URL of an rspamd whose workers listen on Unix sockets named after them.
 *
 * @param run the folder of the sockets
 */
export const privateRspamdUrl = (run: string) => `${SOCKETS}${run}`;

/** By the path of the socket; null for TCP. */
const agents = new Map<string | null, Undici.Agent>();

/** @param socketPath null for TCP */
function agentOf(undici: typeof Undici, socketPath: string | null): Undici.Agent {
  const kept = agents.get(socketPath);
  if (kept) return kept;
  const connect = socketPath === null ? {} : { connect: { socketPath } };
  const made = new undici.Agent({ ...AGENT_OPTIONS, ...connect });
  agents.set(socketPath, made);
  return made;
}

type Asked = {
  /** Workers of a private rspamd. */
  worker?: "normal" | "controller";
  content?: Buffer;
  headers?: Record<string, string | string[]>;
  timeoutMs: number;
};

/**
 * Sends a request to rspamd over HTTP.
 *
 * @throws RspamdError when it does not respond in time
 */
async function ask(
  url: string,
  path: string,
  { worker = "normal", content, headers = {}, timeoutMs }: Asked,
) {
  const undici = await import("undici");
  try {
    const isPrivate = isSocketFolder(url);
    const socketPath = isPrivate ? socketIn(url.slice(SOCKETS.length), worker) : null;
    const answer = await undici.request((isPrivate ? "http://rspamd" : url) + path, {
      dispatcher: agentOf(undici, socketPath),
      method: content ? "POST" : "GET",
      headers,
      ...(content && { body: content }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await answer.body.text();
    return { status: answer.statusCode, server: String(answer.headers.server ?? ""), body };
  } catch (error) {
    throw new RspamdError(`rspamd can't be reached: ${reasonOf(error)}`, {
      isThere: false,
      cause: error,
    });
  }
}

/** Sends a request to the controller, the worker that learns and counts. */
async function askController(url: string, path: string, asked: Asked) {
  if (isSocketFolder(url)) return ask(url, path, { ...asked, worker: "controller" });
  const answer = await ask(url, path, asked);
  return answer.body.includes("invalid command") ? ask(controllerBeside(url), path, asked) : answer;
}

function controllerBeside(url: string): string {
  const beside = new URL(url);
  const fallback = beside.protocol === "https:" ? 443 : 80;
  beside.port = String(Number(beside.port || fallback) + 1);
  return beside.origin;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
