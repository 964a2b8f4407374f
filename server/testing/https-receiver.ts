import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";

type ReceivedRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The exact body, since it is signed. */
  body: string;
};

/** How the receiver handles a request: a status, `hang` to never respond, or `drop` to close the connection. */
export type Behavior = number | "hang" | "drop";

export type HttpsReceiver = {
  url: string;
  port: number;
  /** PEM. Clients must trust it. */
  certificate: string;
  received: ReceivedRequest[];
  /** Behaviors of the next requests, in order; then `otherwise`. */
  script: Behavior[];
  close(): Promise<void>;
};

type Manner = {
  /** The behavior once the script is exhausted. */
  otherwise?: Behavior;
  /** The body of its responses, and their delay. */
  answer?: string;
  delayMs?: number;
};

/** An external HTTPS endpoint on a free loopback port, for webhooks. */
export async function anHttpsReceiver(
  script: Behavior[] = [],
  { otherwise = 200, answer = "received", delayMs = 0 }: Manner = {},
): Promise<HttpsReceiver> {
  const received: ReceivedRequest[] = [];
  const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString("utf8"),
      });
      const behavior = script.shift() ?? otherwise;
      if (behavior === "drop") request.socket.destroy();
      else if (behavior !== "hang")
        setTimeout(() => response.writeHead(behavior).end(answer), delayMs);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/`,
    port,
    certificate: CERTIFICATE,
    received,
    script,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
