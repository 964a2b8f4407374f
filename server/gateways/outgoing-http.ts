import { once } from "node:events";
import { isIP } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";

import { Agent, buildConnector, type Dispatcher } from "undici";

import type { Cidr } from "#server/config.ts";

import type { Resolver } from "./dns.ts";
import { OutgoingFailure, readFailure } from "./outgoing-http-failure.ts";
import { guardedLookup } from "./outgoing-http-lookup.ts";
import { isStale, watchForStale } from "./outgoing-http-stale.ts";
import { isPublicAddress } from "./public-address.ts";

export { OutgoingFailure } from "./outgoing-http-failure.ts";

export type OutgoingRequest = {
  /** `https:` only. */
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  /** For everything, from the look-up to the last byte. */
  timeoutMs: number;
  /** What of the answer's body is read; the rest is left. */
  answerBytesMax: number;
};

type OutgoingAnswer = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** As it was sent: nothing is unpacked. */
  body: Buffer;
  /** The body was longer than was to be read, or it stopped coming before its end. */
  isCut: boolean;
};

export type OutgoingHttp = {
  /**
   * One request, without redirects. From the status line on there is an answer, whatever becomes of
   * its body. One that meets a kept connection just as the server closes it is repeated, once, on a
   * new one: whoever sends a POST must not mind that the server may get it twice.
   *
   * @throws OutgoingFailure when there is none
   */
  request(request: OutgoingRequest): Promise<OutgoingAnswer>;
  /** Waits for the requests in flight and closes the connections. */
  close(): Promise<void>;
};

type Options = {
  resolver: Resolver;
  /** Ranges that are not public and may be called all the same. */
  allowedPrivate: Cidr[];
  /** PEM, besides the system's: tests. */
  ca?: string;
  connectionsPerHostMax?: number;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** Then the host's next address is tried. */
const ADDRESS_PATIENCE_MS = 2000;
const IDLE_MS = 4000;
/** Whatever the server offers to hold a connection. */
const IDLE_MAX_MS = 30_000;
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * The appliance's only way to call an HTTPS server that someone else names. The host's addresses are
 * looked up once for every connection, and unless all of them are public no packet is sent; the
 * connection goes to one of them and stays there as long as it is kept. Proxies of the environment are
 * not used: they would look up the name again.
 */
export function createOutgoingHttp(options: Options): OutgoingHttp {
  const connect = watchForStale(guardedConnector(options));
  const newAgent = () =>
    new Agent({
      connect,
      connections: options.connectionsPerHostMax ?? 10,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MAX_MS,
      maxHeaderSize: HEAD_BYTES_MAX,
    });
  const agent = newAgent();
  const inFlight = new Set<Promise<OutgoingAnswer>>();
  return {
    request(request) {
      const answering = sendInTime(agent, newAgent, request);
      inFlight.add(answering);
      return answering.finally(() => inFlight.delete(answering));
    },
    async close() {
      await Promise.allSettled(inFlight);
      await agent.destroy();
    },
  };
}

function guardedConnector(options: Options): buildConnector.connector {
  const connect = buildConnector({
    lookup: guardedLookup(options.resolver, options.allowedPrivate),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_PATIENCE_MS,
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    // One for all connections: reading the certificates of all authorities takes tens of milliseconds.
    ...(options.ca && {
      secureContext: createSecureContext({ ca: [...getCACertificates("default"), options.ca] }),
    }),
  });
  return (target, callback) => {
    // An address is connected to without any look-up.
    if (isIP(target.hostname) && !isPublicAddress(target.hostname, options.allowedPrivate))
      callback(new OutgoingFailure("private_address"), null);
    else connect(target, callback);
  };
}

async function sendInTime(
  agent: Agent,
  newAgent: () => Agent,
  request: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs);
  try {
    return await send(agent, request, deadline.signal).catch((error: unknown) => {
      if (!isStale(error)) throw error;
      // Of those kept, another may be as stale.
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
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  if (url?.protocol !== "https:") throw new OutgoingFailure("not_https");
  // With the root's dot the host is the same, but no certificate is made out to it.
  url.hostname = url.hostname.replace(/\.$/, "");
  const answering = agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    signal: deadline,
  });
  // The client heeds the signal only once there is a connection.
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
    // Leaving the loop closes the connection: an answer without end is not read to the end.
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
