import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";

import { type HostLink, linkClientOptions } from "#server/gateways/host-link.ts";

import { authenticate } from "./authenticate.ts";
import { isPositive, type Reply } from "./reply.ts";
import type { Timeouts } from "./timeouts.ts";
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
   * `opportunistic`: TLS if offered, with any certificate, else in clear. Mail hosts get this, since their
   * names come from the DNS anyway. `verified`: TLS with a valid certificate, or no session. `implicit`:
   * verified, from the first byte. `link`: TLS with the key of the installation's hosts, from the first byte.
   */
  tls: "none" | "opportunistic" | "verified" | "implicit" | "link";
  link?: HostLink;
  auth: { user: string; pass: string } | null;
};

/** A connection after EHLO, ready for transactions. */
export type Session = {
  wire: Wire;
  /** The extensions that the server announced, with keys in upper case. */
  extensions: ReadonlyMap<string, string>;
  lmtp: boolean;
  secure: boolean;
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

type Terms = { hostname: string; timeouts: Timeouts };

/**
 * Connects, sends EHLO, starts TLS and authenticates. If opportunistic TLS fails in the handshake, the same
 * host is tried once more in clear: TLS without a verified certificate is no safer.
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
    const isTlsFirst = peer.tls === "implicit" || peer.tls === "link";
    if (isTlsFirst) await wire.startTls(tlsOptions(peer), timeouts.tlsMs);
    const greeting = await wire.reply(timeouts.greetingMs);
    if (!isPositive(greeting)) throw new SessionRefused("greeting", greeting);
    let extensions = await sendEhlo(wire, peer, terms);
    const secure = isTlsFirst || (await upgradeToTls(wire, peer, { extensions, timeouts }));
    // Extensions announced in clear don't count under TLS (RFC 3207 §4.2).
    if (secure && !isTlsFirst) extensions = await sendEhlo(wire, peer, terms);
    if (peer.auth) await logIn(wire, peer.auth, { extensions, timeouts });
    const { lmtp } = peer;
    return { wire, extensions, lmtp, secure, needsReset: false, finished: false, messages: 0 };
  } catch (error) {
    if (error instanceof SessionRefused) void wire.quit();
    else wire.destroy();
    throw error;
  }
}

async function sendEhlo(wire: Wire, peer: Peer, { hostname, timeouts }: Terms) {
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

/** Starts TLS if the peer's mode asks for it. Returns whether the connection is in TLS now. */
async function upgradeToTls(wire: Wire, peer: Peer, { extensions, timeouts }: Announced) {
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
    throw new WireError("4.7.5", `TLS with ${peer.name} failed: it ${answer}`);
  return false;
}

function tlsOptions(peer: Peer): ConnectionOptions {
  if (peer.link) return linkClientOptions(peer.link, "lmtp");
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
