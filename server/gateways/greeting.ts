import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Where a server listens: a port, with TLS from the first byte or without, or a socket of this machine. */
export type Place = { host: string; port: number; tls?: boolean } | { path: string };

export type Greeting =
  | { kind: "greeted"; line: string }
  /** Nothing was said in time, or nobody is there: `ECONNREFUSED`, `ETIMEDOUT`, … */
  | { kind: "silent"; code: string };

const LINE_MAX = 512;

/**
 * The first line that a server says by itself, as those of SMTP, IMAP and LMTP do. Nothing is sent, and
 * the certificate is not looked at: whether anybody is there is the question.
 */
export async function greetingAt(place: Place, timeoutMs: number): Promise<Greeting> {
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = open(place);
  try {
    const [chunk] = (await once(socket, "data", { signal })) as [Buffer];
    return { kind: "greeted", line: chunk.toString("latin1").split("\r\n")[0]!.slice(0, LINE_MAX) };
  } catch (error) {
    return { kind: "silent", code: signal.aborted ? "ETIMEDOUT" : codeOf(error) };
  } finally {
    // An error after the answer is nobody's any more; without a listener it would end the process.
    socket.on("error", () => {});
    socket.destroy();
  }
}

function open(place: Place): Socket {
  if ("path" in place) return connectTcp({ path: place.path });
  const { host, port, tls = false } = place;
  return tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? String(error.code) : "closed";
}
