import { randomUUID } from "node:crypto";

import { Agent } from "undici";

import { CERTIFICATE } from "#server/testing/self-signed.ts";
import { signedHeaders } from "#worker/webhooks/signed-headers.ts";

/** The requests that the peer posts. */
export type PeerOrder = {
  url: string;
  secret: string;
  body: string;
  count: number;
  concurrency: number;
};

// Posts the same signed requests with undici in a loop, without a database. Reports when it is done.
process.on("message", (order: PeerOrder) => void post(order));
process.on("disconnect", () => process.exit());
process.send!({ ready: true });

async function post({ url, secret, body, count, concurrency }: PeerOrder): Promise<void> {
  const agent = new Agent({ connections: concurrency, connect: { ca: CERTIFICATE } });
  const { origin, pathname } = new URL(url);
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      const headers = signedHeaders({ eventId: randomUUID(), body, secret });
      const answer = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  await agent.close();
  process.send!({ done: true });
}
