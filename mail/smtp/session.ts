import { isIP } from "node:net";
import type { ConnectionOptions, TLSSocket } from "node:tls";

import {
  type TlsFailure,
  type TlsOutcome,
  type TlsPolicy,
  type DaneTerms,
  matchesTlsa,
  readHandshake,
} from "./tls.ts";
import { isPositive, type Reply } from "./reply.ts";
import { Wire, WireError } from "./wire.ts";

/** A server to connect to, and how. */
export type Peer = {
  /** Its name, for TLS and for error messages. */
  name: string;
  target: { host: string; port: number; localAddress?: string | undefined } | { path: string };
  /** For EHLO, if it isn't the hostname. */
  ehlo?: string;
  lmtp: boolean;
  /**
   * `opportunistic`: TLS if offered, with any certificate, else in clear. Mail servers get this, since their
   * names come from the DNS anyway. `verified`: TLS with a valid certificate, or no session. `dane`: TLS with a
   * certificate that matches `dane`, or no session. `implicit`: verified, from the first byte.
   */
  tls: "none" | "opportunistic" | "verified" | "dane" | "implicit";
  /** Used instead of the options that check the certificate for `name`. */
  tlsOptions?: ConnectionOptions;
  dane?: DaneTerms;
  /** The policy doesn't list this host, but is only in testing mode. */
  isUnlisted?: boolean;
  /** What asks for TLS, for the record; null for hosts of our own. */
  policy: TlsPolicy | null;
  auth: { user: string; pass: string } | null;
};

/** A connection after EHLO, ready for transactions. */
export type Session = {
  wire: Wire;
  /** The extensions that the server announced, with keys in upper case. */
  extensions: ReadonlyMap<string, string>;
  lmtp: boolean;
  secure: boolean;
  /** Null for hosts of our own. */
  tls: TlsOutcome | null;
  /** A transaction was aborted, so RSET must precede the next. */
  needsReset: boolean;
  /** The server replied 421 or sent nonsense: the connection can't be reused. */
  finished: boolean;
  messages: number;
};

/** The server rejected the connection, EHLO or the password. */
export class SessionRefused extends Error {
  override name = "SessionRefused";
  readonly stage: "greeting" | "hello" | "auth";
  readonly reply: Reply;

  constructor(stage: SessionRefused["stage"], reply: Reply) {
    super(reply.lines.join(" "));
    this.stage = stage;
    this.reply = reply;
  }
}

type Options = { hostname: string; timeouts: Timeouts };

/**
 * Connects, sends EHLO, starts TLS and authenticates. If opportunistic TLS fails in the handshake, the same
 * host is tried once more in clear: TLS without a verified certificate is no safer.
 *
 * @throws WireError, SessionRefused
 */
export async function openSession(peer: Peer, options: Options): Promise<Session> {
  try {
    return await open(peer, options);
  } catch (error) {
    const isHandshake = error instanceof WireError && error.dsn === "4.7.5";
    if (!isHandshake || peer.tls !== "opportunistic") throw error;
    const session = await open({ ...peer, tls: "none" }, options);
    return { ...session, tls: notEncrypted(peer, error.tlsFailure ?? "validation-failure") };
  }
}

export const notEncrypted = ({ policy }: Peer, result: TlsFailure): TlsOutcome | null =>
  policy && { policy, result, encryption: null };

function tlsOutcome(peer: Peer, socket: TLSSocket | null): TlsOutcome | null {
  if (!socket) return notEncrypted(peer, "starttls-not-supported");
  return peer.policy && readHandshake(socket, { ...peer, policy: peer.policy });
}

async function open(peer: Peer, options: Options): Promise<Session> {
  const { timeouts } = options;
  const wire = await Wire.connect(peer.target, { peer: peer.name, timeoutMs: timeouts.connectMs });
  try {
    const first =
      peer.tls === "implicit" ? await wire.startTls(tlsOptions(peer), timeouts.tlsMs) : null;
    const greeting = await wire.reply(timeouts.greetingMs);
    if (!isPositive(greeting)) throw new SessionRefused("greeting", greeting);
    let extensions = await sendEhlo(wire, peer, options);
    const socket = first ?? (await upgradeToTls(wire, peer, { extensions, timeouts }));
    // Extensions announced in clear don't count under TLS (RFC 3207 §4.2).
    if (socket && !first) extensions = await sendEhlo(wire, peer, options);
    if (peer.auth) await logIn(wire, peer.auth, { extensions, timeouts });
    const tls = tlsOutcome(peer, socket);
    const fresh = { needsReset: false, finished: false, messages: 0 };
    return { wire, extensions, lmtp: peer.lmtp, secure: socket !== null, tls, ...fresh };
  } catch (error) {
    if (error instanceof SessionRefused) void wire.quit();
    else wire.destroy();
    throw error;
  }
}

async function sendEhlo(wire: Wire, peer: Peer, { hostname, timeouts }: Options) {
  const name = peer.ehlo ?? hostname;
  wire.write(`${peer.lmtp ? "LHLO" : "EHLO"} ${name}\r\n`);
  const extended = await wire.reply(timeouts.commandMs);
  if (isPositive(extended)) return readExtensions(extended);
  if (peer.lmtp || extended.code < 500) throw new SessionRefused("hello", extended);
  wire.write(`HELO ${name}\r\n`);
  const plain = await wire.reply(timeouts.commandMs);
  if (!isPositive(plain)) throw new SessionRefused("hello", plain);
  return new Map<string, string>();
}

function readExtensions({ lines }: Reply): Map<string, string> {
  return new Map(
    lines.slice(1).map((line) => {
      const [keyword, ...parameters] = line.trim().split(/[ =]/);
      return [keyword!.toUpperCase(), parameters.join(" ")];
    }),
  );
}

type Announced = { extensions: ReadonlyMap<string, string>; timeouts: Timeouts };

/** Starts TLS if the peer's mode asks for it. Returns null if the connection stays in clear. */
async function upgradeToTls(wire: Wire, peer: Peer, { extensions, timeouts }: Announced) {
  if (peer.tls === "none") return null;
  let answer = "does not offer STARTTLS";
  if (extensions.has("STARTTLS")) {
    wire.write("STARTTLS\r\n");
    const reply = await wire.reply(timeouts.commandMs);
    if (reply.code === 220) {
      const socket = await wire.startTls(tlsOptions(peer), timeouts.tlsMs);
      if (peer.dane && !matchesTlsa(socket, peer.dane))
        throw wire.tlsError("its certificate doesn't match its TLSA records", "tlsa-invalid");
      return socket;
    }
    answer = `answered STARTTLS with ${reply.code}`;
  }
  if (peer.tls !== "opportunistic") throw wire.tlsError(`it ${answer}`, "starttls-not-supported");
  return null;
}

function tlsOptions(peer: Peer): ConnectionOptions {
  if (peer.tlsOptions) return peer.tlsOptions;
  const name = peer.dane?.base ?? peer.name;
  return {
    ...(isIP(name) ? { host: name } : { servername: name }),
    rejectUnauthorized: peer.tls !== "opportunistic" && peer.tls !== "dane",
  };
}

async function logIn(wire: Wire, auth: NonNullable<Peer["auth"]>, announced: Announced) {
  const reply = await authenticate(wire, auth, {
    mechanisms: announced.extensions.get("AUTH") ?? "",
    timeoutMs: announced.timeouts.commandMs,
  });
  if (!isPositive(reply)) throw new SessionRefused("auth", reply);
}

type Credentials = { user: string; pass: string };

/**
 * Authenticates with PLAIN or LOGIN, whichever the server offers (RFC 4954), and returns its reply. The
 * caller ensures that the connection is private.
 *
 * @throws WireError
 */
async function authenticate(
  wire: Wire,
  { user, pass }: Credentials,
  { mechanisms, timeoutMs }: { mechanisms: string; timeoutMs: number },
): Promise<Reply> {
  const offered = mechanisms.toUpperCase().split(" ");
  const usesLogin = offered.includes("LOGIN") && !offered.includes("PLAIN");
  if (!usesLogin) {
    wire.write(`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}\r\n`);
    return wire.reply(timeoutMs);
  }
  for (const line of ["AUTH LOGIN", base64(user)]) {
    wire.write(`${line}\r\n`);
    const reply = await wire.reply(timeoutMs);
    if (reply.code !== 334)
      return isPositive(reply) ? { code: 501, lines: ["Authentication failed"] } : reply;
  }
  wire.write(`${base64(pass)}\r\n`);
  return wire.reply(timeoutMs);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Timeouts of each step of a session. */
export type Timeouts = {
  connectMs: number;
  tlsMs: number;
  greetingMs: number;
  /** Also for STARTTLS, AUTH and RSET. */
  commandMs: number;
  mailMs: number;
  rcptMs: number;
  dataMs: number;
  /** For the other side to accept one block of the message. */
  blockMs: number;
  /** From MAIL until the message is sent, whatever the steps may take. */
  transactionMs: number;
  /** For the reply to the whole message: if it is too short, messages are delivered twice. */
  acceptMs: number;
  /** How long an idle connection is kept. */
  idleMs: number;
};

/** RFC 5321 §4.5.3.2, except for connecting: a host that doesn't answer in 30 s is down. */
export const TIMEOUTS: Timeouts = {
  connectMs: 30_000,
  tlsMs: 60_000,
  greetingMs: 300_000,
  commandMs: 300_000,
  mailMs: 300_000,
  rcptMs: 300_000,
  dataMs: 120_000,
  blockMs: 180_000,
  transactionMs: 900_000,
  acceptMs: 600_000,
  idleMs: 3_000,
};
