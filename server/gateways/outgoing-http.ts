import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";

import type { Agent, buildConnector, Dispatcher } from "undici";

import type { Cidr } from "#server/config.ts";

import type { Answer, Resolver } from "./dns.ts";
import { isPublicAddress } from "./public-address.ts";

export type OutgoingRequest = {
  /** `https:` only. */
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Limit for the whole request, from the DNS lookup to the last byte. */
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

const START = Buffer.from("HTTP/1.1 1");
const END = Buffer.from("\r\n\r\n");

/** A longer header section is left to undici, which rejects it. */
const INTERIM_BYTES_MAX = 1024;

/** The bytes of a response received before its status is known; unset while the rest arrives. */
const beginnings = new WeakMap<Socket, Buffer>();

subscribe("undici:client:sendHeaders", (message) => {
  const { socket } = message as { socket: Socket };
  beginnings.set(socket, Buffer.alloc(0));
});

/**
 * Wraps the connector so that interim responses are skipped, as clients must do even with unexpected ones (RFC 9110, 15.2).
 * undici rejects `100 Continue` as a bad response.
 */
const skipInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) {
        const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
        socket.read = (size?: number) => {
          const chunk = read(size);
          return chunk && withoutInterim(socket, chunk);
        };
      }
      callback(...result);
    });

/** Null if more must arrive. */
function withoutInterim(socket: Socket, chunk: Buffer): Buffer | null {
  const before = beginnings.get(socket);
  if (!before) return chunk;
  let bytes = before.length > 0 ? Buffer.concat([before, chunk]) : chunk;
  while (isInterim(bytes)) {
    const end = bytes.indexOf(END);
    if (end === -1) {
      beginnings.set(socket, bytes);
      return null;
    }
    bytes = bytes.subarray(end + END.length);
  }
  if (bytes.length === 0) {
    beginnings.set(socket, bytes);
    return null;
  }
  beginnings.delete(socket);
  return bytes;
}

/** Whether the bytes begin with an interim response, or may do so once more have arrived. */
function isInterim(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.length > INTERIM_BYTES_MAX) return false;
  const known = Math.min(bytes.length, START.length);
  return bytes.subarray(0, known).equals(START.subarray(0, known));
}

/** Per address family. A name with a hundred dead addresses must not take long. */
const ADDRESSES_MAX = 3;

/**
 * The lookup function of connections: one lookup, all addresses checked, and exactly these passed to the
 * socket. Prevents DNS rebinding, where a name returns one address to the check and another to the
 * connection.
 */
export function guardedLookup(resolver: Resolver, allowedPrivate: Cidr[]): LookupFunction {
  return (hostname, _options, callback) => {
    findAddresses(resolver, hostname, allowedPrivate).then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(error as Error, []),
    );
  };
}

async function findAddresses(resolver: Resolver, hostname: string, allowedPrivate: Cidr[]) {
  const families = await lookUp(resolver, hostname);
  const found = families.flatMap(({ answer }) => recordsOf(answer));
  if (!found.every((address) => isPublicAddress(address, allowedPrivate)))
    throw new OutgoingFailure("private_address");
  if (found.length === 0) {
    const hasFailed = families.some(({ answer }) => answer.kind === "failed");
    throw new OutgoingFailure(hasFailed ? "EAI_AGAIN" : "ENOTFOUND");
  }
  return families.flatMap(({ family, answer }) =>
    recordsOf(answer)
      .slice(0, ADDRESSES_MAX)
      .map((address) => ({ address, family })),
  );
}

async function lookUp(resolver: Resolver, hostname: string) {
  // Loopback names are never queried (RFC 6761 §6.3).
  const isLoopback = /(^|\.)localhost$/.test(hostname);
  const loopback: Answer<string> = { kind: "found", records: ["127.0.0.1"] };
  const nothing: Answer<string> = { kind: "no_data" };
  const [v4, v6] = isLoopback
    ? [loopback, nothing]
    : await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return [
    { family: 4, answer: v4 },
    { family: 6, answer: v6 },
  ];
}

const recordsOf = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);

/** Bytes that a connection had read when its newest request was sent. */
const readBefore = new WeakMap<Socket, number>();

/** Errors that ended a request on a stale connection. */
const stale = new WeakSet<Error>();

subscribe("undici:client:sendHeaders", (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/**
 * Whether the request failed because the server closed a reused connection just as the request was sent: it
 * had answered on it before, and not a byte came back. Such a close says nothing about the server, which
 * may close idle connections at any time (RFC 9112 §9.5).
 *
 * @param error as thrown by the client, for a connection that `watchForStale` made
 */
const isStale = (error: unknown): boolean => error instanceof Error && stale.has(error);

/** Wraps the connector so that `isStale` recognizes its connections. */
const watchForStale =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result;
      socket?.on("error", (error: Error) => {
        const before = readBefore.get(socket) ?? 0;
        if (before > 0 && socket.bytesRead === before) stale.add(error);
      });
      callback(...result);
    });

/**
 * No answer came. `code` is short and safe to show:
 *
 * | code | what happened |
 * | --- | --- |
 * | `timeout` | the time ran out before the status line |
 * | `private_address` | the host is, or has among its addresses, one that is not public |
 * | `not_https` | the address is not an `https:` URL |
 * | `ENOTFOUND` | the host has no address |
 * | `EAI_AGAIN` | the host could not be looked up |
 * | `ECONNREFUSED`, `ECONNRESET`, `EHOSTUNREACH`, … | the connection failed, as the system names it |
 * | `certificate` | the host's certificate is not valid for it |
 * | `tls` | no TLS connection came about |
 * | `bad_answer` | what came is not HTTP, or its head is too big |
 * | `failed` | anything else |
 */
export class OutgoingFailure extends Error {
  override name = "OutgoingFailure";
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`The request failed: ${code}`, { cause });
    this.code = code;
  }
}

/** The first match counts. */
const KINDS: [RegExp, string][] = [
  [/^(UND_ERR_\w+_TIMEOUT|ETIMEDOUT)$/, "timeout"],
  [/^(EPROTO|ERR_SSL_\w+)$/, "tls"],
  [
    /^UNABLE_TO_|CERT|CRL|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/,
    "certificate",
  ],
  [/^(UND_ERR_SOCKET|EPIPE)$/, "ECONNRESET"],
  [/^(HPE_\w+|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES\w+)$/, "bad_answer"],
];

/** Converts an error of the HTTP client to an OutgoingFailure. */
export function readFailure(error: unknown): OutgoingFailure {
  if (error instanceof OutgoingFailure) return error;
  if (!(error instanceof Error)) return new OutgoingFailure("failed", error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const kind = KINDS.find(([pattern]) => pattern.test(code))?.[1];
  return new OutgoingFailure(kind ?? (/^E[A-Z]+$/.test(code) ? code : "failed"), error);
}
