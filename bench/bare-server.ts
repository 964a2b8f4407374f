import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Node's own cost on this machine: a server that reads the body and returns the same small JSON.
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const body = JSON.stringify({ id: "01990000-0000-7000-8000-000000000000" });
    response
      .writeHead(200, { "content-type": "application/json", "content-length": body.length })
      .end(body);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.({ port: (server.address() as AddressInfo).port });
process.on("disconnect", () => process.exit(0));
