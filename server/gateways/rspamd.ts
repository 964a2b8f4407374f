import { domainToASCII } from "node:url";

import { Agent, request } from "undici";
import { z } from "zod";

/** rspamd itself gives up after 8 s. */
const SCAN_TIMEOUT_MS = 10_000;
const LEARN_TIMEOUT_MS = 20_000;
const PING_TIMEOUT_MS = 3_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
/** More wait their turn: its worker looks at one after the other. */
const CONNECTIONS = 16;
/** Each is a header line of the request. */
const RECIPIENTS_MAX = 100;

/** rspamd cannot be reached, or did not do what it was asked. */
export class RspamdError extends Error {
  override name = "RspamdError";
  /** It answered, if only to refuse this message: there is no reason not to ask about the next one. */
  readonly isThere: boolean;

  constructor(message: string, { isThere, cause }: { isThere: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isThere = isThere;
  }
}

export type Scanned = {
  content: Buffer;
  sender: string;
  recipients: string[];
  helo: string;
  clientAddress: string;
  /** Of the client, proven by the DNS. */
  hostName: string | null;
};

/**
 * With Redis configured, rspamd greylists: before any rule has run it answers `soft reject` with score 0,
 * each time the same message comes again. Greylisting is ours, so its symbols are switched off.
 */
const SETTINGS = JSON.stringify({ symbols_disabled: ["GREYLIST_CHECK", "GREYLIST_SAVE"] });

const scanAnswer = z.object({
  score: z.number().nullish(),
  required_score: z.number().nullish(),
  action: z.string(),
  symbols: z.record(z.string(), z.object({ score: z.number().nullable().catch(null) })),
  messages: z.object({ smtp_message: z.string().optional() }).catch({}),
});

/** What rspamd says of a message. */
export type Scan = {
  score: number;
  /** From which score on rspamd itself refuses. */
  rejectScore: number | null;
  /** `no action`, `greylist`, `add header`, `rewrite subject`, `reject`, `quarantine`, `discard`. */
  action: string;
  symbols: { name: string; score: number }[];
  /** What a refusal is to say; empty for none. */
  text: string;
};

const agent = new Agent({
  connections: CONNECTIONS,
  maxResponseSize: ANSWER_BYTES_MAX,
  headersTimeout: LEARN_TIMEOUT_MS,
});

/**
 * Has rspamd look at a message. Its address comes from the operator's settings only and is usually on
 * loopback, so the guard of other outgoing HTTP does not apply.
 *
 * @param url of a worker that scans: `normal`, or the controller
 * @throws RspamdError when it is not there, does not answer within ten seconds, or gives no verdict
 */
export async function scanMessage(
  url: string,
  { content, ...envelope }: Scanned,
  { timeoutMs = SCAN_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<Scan> {
  const { status, body } = await ask(url, "/checkv2", {
    content,
    headers: {
      IP: headerText(envelope.clientAddress),
      ...(envelope.hostName !== null && { Hostname: headerText(envelope.hostName) }),
      Helo: headerText(envelope.helo),
      From: addressText(envelope.sender),
      Rcpt: envelope.recipients.slice(0, RECIPIENTS_MAX).map(addressText),
      Settings: SETTINGS,
    },
    timeoutMs,
  });
  const answer = scanAnswer.safeParse(parseJson(body));
  if (status !== 200 || !answer.success)
    throw new RspamdError(`rspamd answered ${status} to a message`, { isThere: true });
  const { score, required_score, action, symbols, messages } = answer.data;
  // "Ask again later", from a rate limit for example, says nothing about the message.
  if (action === "soft reject" || typeof score !== "number")
    throw new RspamdError("rspamd gave no verdict", { isThere: true });
  return {
    score,
    rejectScore: required_score ?? null,
    action,
    symbols: Object.entries(symbols).map(([name, symbol]) => ({ name, score: symbol.score ?? 0 })),
    text: messages.smtp_message ?? "",
  };
}

/**
 * Teaches rspamd's statistics what a person holds a message for. Learning is the controller's, which by
 * rspamd's own configuration listens on the port after that of the `normal` worker; both may be named.
 * What rspamd has learned before, or finds too short, is fine.
 *
 * @throws RspamdError when it cannot be had
 */
export async function learnMessage(
  url: string,
  kind: "spam" | "ham",
  content: Buffer,
): Promise<void> {
  const path = `/learn${kind}`;
  const options = { content, timeoutMs: LEARN_TIMEOUT_MS };
  let answer = await ask(url, path, options);
  if (answer.body.includes("invalid command"))
    answer = await ask(controllerBeside(url), path, options);
  if (answer.status >= 300)
    throw new RspamdError(`rspamd answered ${answer.status} to ${path}`, { isThere: true });
}

/**
 * Asks whether rspamd is there.
 *
 * @returns its version, as it calls it; "" for none
 * @throws RspamdError when it is not
 */
export async function pingRspamd(url: string): Promise<string> {
  const { status, server } = await ask(url, "/ping", { timeoutMs: PING_TIMEOUT_MS });
  const [, version] = /^rspamd\/(\S+)/.exec(server) ?? [];
  if (status !== 200 || version === undefined)
    throw new RspamdError(`What answers there is not rspamd (${status})`, { isThere: true });
  return version;
}

function controllerBeside(url: string): string {
  const beside = new URL(url);
  const fallback = beside.protocol === "https:" ? 443 : 80;
  beside.port = String(Number(beside.port || fallback) + 1);
  return beside.origin;
}

type Asked = {
  content?: Buffer;
  headers?: Record<string, string | string[]>;
  timeoutMs: number;
};

async function ask(url: string, path: string, { content, headers = {}, timeoutMs }: Asked) {
  try {
    const answer = await request(url + path, {
      dispatcher: agent,
      method: content ? "POST" : "GET",
      headers,
      ...(content && { body: content }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await answer.body.text();
    return { status: answer.statusCode, server: String(answer.headers.server ?? ""), body };
  } catch (error) {
    throw new RspamdError(`rspamd cannot be asked: ${reasonOf(error)}`, {
      isThere: false,
      cause: error,
    });
  }
}

/** One line of ASCII. */
const headerText = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "_");

/**
 * rspamd 3.4 takes an address with characters beyond ASCII (RFC 6531) for a broken header, which costs
 * such mail 8 points. It needs the domain only.
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
