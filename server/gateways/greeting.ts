import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { type HostLink, linkClientOptions } from "./host-link.ts";

/** Where a server listens: a port, with or without implicit TLS, a Unix socket, or Dovecot's LMTP on another host. */
export type ServerPlace =
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
export async function readGreeting(place: ServerPlace, timeoutMs: number): Promise<Greeting> {
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

function open(place: ServerPlace): Socket {
  if ("path" in place) return connect({ path: place.path });
  if ("link" in place) {
    const { host, port } = place.link;
    return connectTls({ host, port, ...linkClientOptions(place.link, "lmtp") });
  }
  const { host, port, tls = false } = place;
  return tls ? connectTls({ host, port, rejectUnauthorized: false }) : connect({ host, port });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? String(error.code) : "closed";
}

const TIMEOUT_MS = 3_000;

/**
 * Whether something listens on a port. `unknown`: no reply in time, which also happens when a router doesn't
 * let hosts behind it connect to its public address.
 */
export function probePort(host: string, port: number): Promise<"open" | "refused" | "unknown"> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (state: "open" | "refused" | "unknown") => {
      socket.destroy();
      resolve(state);
    };
    socket.once("connect", () => end("open"));
    socket.once("timeout", () => end("unknown"));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(error.code === "ECONNREFUSED" ? "refused" : "unknown"),
    );
  });
}
