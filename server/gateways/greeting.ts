import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { type HostLink, linkClientOptions } from "./host-link.ts";

/** Where a server listens: a port, with or without implicit TLS, a Unix socket, or Dovecot's LMTP on another host. */
export type Place =
  { host: string; port: number; tls?: boolean } | { path: string } | { link: HostLink };

export type Greeting =
  | { kind: "greeted"; line: string }
  /** No greeting in time, or no connection: `ECONNREFUSED`, `ETIMEDOUT`, … */
  | { kind: "silent"; code: string };

const LINE_MAX = 512;

/**
 * Reads the first line that an SMTP, IMAP or LMTP server sends. Nothing is sent, and the certificate is not
 * verified: this only checks that the server responds.
 */
export async function readGreeting(place: Place, timeoutMs: number): Promise<Greeting> {
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = open(place);
  try {
    const [chunk] = (await once(socket, "data", { signal })) as [Buffer];
    return { kind: "greeted", line: chunk.toString("latin1").split("\r\n")[0]!.slice(0, LINE_MAX) };
  } catch (error) {
    return { kind: "silent", code: signal.aborted ? "ETIMEDOUT" : codeOf(error) };
  } finally {
    // Without a listener, an error after the greeting would end the process.
    socket.on("error", () => {});
    socket.destroy();
  }
}

function open(place: Place): Socket {
  if ("path" in place) return connectTcp({ path: place.path });
  if ("link" in place) {
    const { host, port } = place.link;
    return connectTls({ host, port, ...linkClientOptions(place.link, "lmtp") });
  }
  const { host, port, tls = false } = place;
  return tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? String(error.code) : "closed";
}
