import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

export type Greeter = { port: number; stop(): Promise<void> };

/** A server that sends one line to each client, or nothing. */
export async function aGreeter(line: string | null): Promise<Greeter> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (line !== null) socket.write(`${line}\r\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      await once(server, "close");
    },
  };
}
