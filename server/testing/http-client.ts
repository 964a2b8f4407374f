import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** Sends one request on a new connection, with method, path and headers unchanged. */
export async function send(
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Answer> {
  const sent = request({ port, host: "127.0.0.1", method, path, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  // The response has arrived; a server that rejects the body may close the connection.
  sent.on("error", () => {});
  return {
    status: response.statusCode!,
    headers: response.headers,
    text: await text(response),
  };
}

/** A connection for requests that no HTTP client would send. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  // The server may close the connection while the client still writes: that is what is tested.
  socket.on("error", () => {});
  return socket;
}

/** Writes `bytes` and returns everything received until the server closes. */
export async function exchange(port: number, ...bytes: (string | Uint8Array)[]): Promise<string> {
  const socket = await openSocket(port);
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  const closed = once(socket, "close");
  for (const part of bytes) socket.write(part);
  await closed;
  return received;
}
