import type * as Undici from "undici";

import { socketIn } from "./service-socket.ts";

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
export async function ask(
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
export async function askController(url: string, path: string, asked: Asked) {
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
