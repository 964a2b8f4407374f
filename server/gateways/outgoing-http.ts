import { once } from "node:events";
import { isIP } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";

import type { Agent, buildConnector, Dispatcher } from "undici";

import type { Cidr } from "#server/config.ts";

import type { Resolver } from "./dns.ts";
import { OutgoingFailure, readFailure } from "./outgoing-http-failure.ts";
import { skipInterim } from "./outgoing-http-interim.ts";
import { guardedLookup } from "./outgoing-http-lookup.ts";
import { isStale, watchForStale } from "./outgoing-http-stale.ts";
import { isPublicAddress } from "./public-address.ts";

export { OutgoingFailure } from "./outgoing-http-failure.ts";

export type OutgoingRequest = {
  /** `https:` only. */
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: Record<string, string>;
  body?: string | Buffer;
  /** From the lookup to the last byte. */
  timeoutMs: number;
  /** Reads at most this much of the body. */
  answerBytesMax: number;
};

type OutgoingAnswer = {
  status: number;
  /** Names in lowercase. */
  headers: Record<string, string>;
  /** Raw, without decompression. */
  body: Buffer;
  /** The body was longer than `answerBytesMax`, or ended early. */
  isCut: boolean;
};

export type OutgoingHttp = {
  /**
   * Sends one request, without following redirects. Once the status line arrives there is an answer, even
   * if its body fails. If the server closes a reused connection just as the request is sent, it is repeated
   * once on a new connection, so a POST must tolerate arriving twice.
   *
   * @throws OutgoingFailure if there is no answer
   */
  request(request: OutgoingRequest): Promise<OutgoingAnswer>;
  /** Waits for running requests and closes the connections. */
  close(): Promise<void>;
};

type Options = {
  resolver: Resolver;
  /** Private ranges that may be called. */
  allowedPrivate: Cidr[];
  /** PEM, in addition to the system's: tests. */
  ca?: string;
  connectionsPerHostMax?: number;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** After this, the host's next address is tried. */
const ADDRESS_TIMEOUT_MS = 2000;
const IDLE_MS = 4000;
/** Even if the server offers to keep a connection longer. */
const IDLE_MAX_MS = 30_000;
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * The appliance's only way to call an HTTPS server that users configure. The host's addresses are looked up
 * once per connection, and no packet is sent unless all of them are public; the connection stays at one of
 * them. Proxies of the environment are ignored, since they would repeat the lookup.
 */
export function createOutgoingHttp(options: Options): OutgoingHttp {
  let opened: Promise<Agents> | undefined;
  const inFlight = new Set<Promise<OutgoingAnswer>>();
  return {
    request(request) {
      opened ??= openAgents(options);
      const answering = opened.then((agents) => sendWithTimeout(agents, request));
      inFlight.add(answering);
      return answering.finally(() => inFlight.delete(answering));
    },
    async close() {
      await Promise.allSettled(inFlight);
      await (await opened)?.agent.destroy();
    },
  };
}

type Agents = { agent: Agent; newAgent: () => Agent };

async function openAgents(options: Options): Promise<Agents> {
  const undici = await import("undici");
  const connector = guardedConnector(options, undici.buildConnector);
  const connect = watchForStale(skipInterim(connector));
  const newAgent = () =>
    new undici.Agent({
      connect,
      connections: options.connectionsPerHostMax ?? 10,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MAX_MS,
      maxHeaderSize: HEAD_BYTES_MAX,
    });
  return { agent: newAgent(), newAgent };
}

function guardedConnector(
  options: Options,
  build: typeof buildConnector,
): buildConnector.connector {
  const connect = build({
    lookup: guardedLookup(options.resolver, options.allowedPrivate),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    // Shared by all connections: parsing the CA certificates takes tens of milliseconds.
    ...(options.ca && {
      secureContext: createSecureContext({ ca: [...getCACertificates("default"), options.ca] }),
    }),
  });
  return (target, callback) => {
    // A literal address connects without a lookup, so it is checked here.
    if (isIP(target.hostname) && !isPublicAddress(target.hostname, options.allowedPrivate))
      callback(new OutgoingFailure("private_address"), null);
    else connect(target, callback);
  };
}

async function sendWithTimeout(
  { agent, newAgent }: Agents,
  request: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs);
  try {
    return await send(agent, request, deadline.signal).catch((error: unknown) => {
      if (!isStale(error)) throw error;
      // Other pooled connections may be stale too, so use a new one.
      return sendAlone(newAgent(), request, deadline.signal);
    });
  } catch (error) {
    throw deadline.signal.aborted ? new OutgoingFailure("timeout", error) : readFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

async function sendAlone(agent: Agent, request: OutgoingRequest, deadline: AbortSignal) {
  try {
    return await send(agent, request, deadline);
  } finally {
    void agent.destroy();
  }
}

async function send(
  agent: Agent,
  request: OutgoingRequest,
  deadline: AbortSignal,
): Promise<OutgoingAnswer> {
  const url = URL.parse(request.url);
  if (url?.protocol !== "https:") throw new OutgoingFailure("not_https");
  // With a trailing dot the host is the same, but no certificate matches it.
  url.hostname = url.hostname.replace(/\.$/, "");
  const answering = agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    signal: deadline,
  });
  // The client observes the signal only once it has a connection.
  const { statusCode, headers, body } = await Promise.race([answering, ended(deadline)]);
  return {
    status: statusCode,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]),
    ),
    ...(await readBody(body, request.answerBytesMax)),
  };
}

async function ended(signal: AbortSignal): Promise<never> {
  await once(signal, "abort");
  throw signal.reason;
}

async function readBody(body: Dispatcher.ResponseData["body"], bytesMax: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  let isCut = false;
  try {
    // Leaving the loop closes the connection, so an endless body isn't read to its end.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      isCut = length > bytesMax;
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  return { body: Buffer.concat(chunks).subarray(0, bytesMax), isCut };
}
