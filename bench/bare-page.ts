import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A page with as much text as a list page, but without styles or scripts: the browser's own cost.
const rows = Array.from(
  { length: 50 },
  (_, i) => `<tr><td>customer${i}@example.org</td><td>Your order ${i}</td><td>Delivered</td></tr>`,
).join("");
const page = `<!doctype html><title>Bare</title><h1>Emails</h1><table><tbody>${rows}</tbody></table>`;
const server = createServer((_, response) =>
  response.writeHead(200, { "content-type": "text/html" }).end(page),
);
server.listen(0);
await once(server, "listening");
process.send?.({ port: (server.address() as AddressInfo).port });
process.on("disconnect", () => process.exit(0));
