import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

// An HTTPS endpoint in a separate process that answers after a delay in milliseconds. Prints its port, then on
// request the number of requests and the time of the last one, closing idle connections.
const latencyMs = Number(process.argv[2]);
let received = 0;
let lastAt = 0;

const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) => {
  request.resume();
  request.on("end", () => {
    received++;
    lastAt = performance.timeOrigin + performance.now();
    setTimeout(() => response.end("received"), latencyMs);
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
process.on("message", () => {
  server.closeIdleConnections();
  process.send!({ received, lastAt });
});
process.on("disconnect", () => process.exit());
process.send!({ port: (server.address() as AddressInfo).port });
