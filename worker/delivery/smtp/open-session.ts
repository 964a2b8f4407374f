import { isIP } from "node:net";

import { authenticate } from "./authenticate.ts";
import { isPositive, type Reply } from "./reply.ts";
import type { Timeouts } from "./timeouts.ts";
import { Wire, WireError } from "./wire.ts";

/** A server to talk to, and on what terms. */
export type Peer = {
  /** Its name: for TLS and for what people read. */
  name: string;
  target: { host: string; port: number } | { path: string };
  lmtp: boolean;
  /**
   * `opportunistic`: when offered, whatever the certificate, else in clear; this is what a mail host gets,
   * whose name we only know from the DNS. `verified`: or not at all. `implicit`: verified, from the first byte.
   */
  tls: "none" | "opportunistic" | "verified" | "implicit";
  auth: { user: string; pass: string } | null;
};

/** A connection that is past its greetings. */
export type Session = {
  wire: Wire;
  /** What the server announced, keys in upper case. */
  extensions: ReadonlyMap<string, string>;
  lmtp: boolean;
  secure: boolean;
  /** A transaction was left half done: RSET comes before the next. */
  needsReset: boolean;
  /** The server said 421, or nonsense: no more on this connection. */
  finished: boolean;
  messages: number;
};

/** The server does not want to talk to us. */
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

type Terms = { hostname: string; timeouts: Timeouts };

/**
 * Connects, says EHLO, goes over to TLS and logs in. When TLS was only an opportunity and the handshake
 * fails, the same host is tried once more in clear: mail with TLS that nobody checked is no safer than without.
 *
 * @throws WireError, SessionRefused
 */
export async function openSession(peer: Peer, terms: Terms): Promise<Session> {
  try {
    return await open(peer, terms);
  } catch (error) {
    const isHandshake = error instanceof WireError && error.dsn === "4.7.5";
    if (!isHandshake || peer.tls !== "opportunistic") throw error;
    return open({ ...peer, tls: "none" }, terms);
  }
}

async function open(peer: Peer, terms: Terms): Promise<Session> {
  const { timeouts } = terms;
  const wire = await Wire.connect(peer.target, { peer: peer.name, timeoutMs: timeouts.connectMs });
  try {
    if (peer.tls === "implicit") await wire.startTls(tlsOptions(peer), timeouts.tlsMs);
    const greeting = await wire.reply(timeouts.greetingMs);
    if (!isPositive(greeting)) throw new SessionRefused("greeting", greeting);
    let extensions = await sayHello(wire, peer, terms);
    const secure =
      peer.tls === "implicit" || (await goSecure(wire, peer, { extensions, timeouts }));
    // What was announced in clear counts for nothing under TLS (RFC 3207 §4.2).
    if (secure && peer.tls !== "implicit") extensions = await sayHello(wire, peer, terms);
    if (peer.auth) await logIn(wire, peer.auth, { extensions, timeouts });
    const { lmtp } = peer;
    return { wire, extensions, lmtp, secure, needsReset: false, finished: false, messages: 0 };
  } catch (error) {
    if (error instanceof SessionRefused) void wire.quit();
    else wire.destroy();
    throw error;
  }
}

async function sayHello(wire: Wire, peer: Peer, { hostname, timeouts }: Terms) {
  wire.write(`${peer.lmtp ? "LHLO" : "EHLO"} ${hostname}\r\n`);
  const extended = await wire.reply(timeouts.commandMs);
  if (isPositive(extended)) return readExtensions(extended);
  if (peer.lmtp || extended.code < 500) throw new SessionRefused("hello", extended);
  wire.write(`HELO ${hostname}\r\n`);
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

/** Whether the connection is in TLS now. */
async function goSecure(wire: Wire, peer: Peer, { extensions, timeouts }: Announced) {
  if (peer.tls === "none") return false;
  let answer = "does not offer STARTTLS";
  if (extensions.has("STARTTLS")) {
    wire.write("STARTTLS\r\n");
    const reply = await wire.reply(timeouts.commandMs);
    if (reply.code === 220) {
      await wire.startTls(tlsOptions(peer), timeouts.tlsMs);
      return true;
    }
    answer = `answered STARTTLS with ${reply.code}`;
  }
  if (peer.tls === "verified")
    throw new WireError("4.7.5", `No TLS with ${peer.name}: it ${answer}`);
  return false;
}

function tlsOptions(peer: Peer) {
  return {
    ...(isIP(peer.name) ? { host: peer.name } : { servername: peer.name }),
    rejectUnauthorized: peer.tls !== "opportunistic",
  };
}

async function logIn(wire: Wire, auth: NonNullable<Peer["auth"]>, announced: Announced) {
  const reply = await authenticate(wire, auth, {
    mechanisms: announced.extensions.get("AUTH") ?? "",
    timeoutMs: announced.timeouts.commandMs,
  });
  if (!isPositive(reply)) throw new SessionRefused("auth", reply);
}
