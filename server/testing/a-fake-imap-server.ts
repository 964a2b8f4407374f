import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Writes the responses to a command, including the tagged one. */
type Respond = (socket: Socket, tag: string, args: string[]) => void;

/**
 * An IMAP server that accepts any password and responds to commands as a test needs it, for what a real server never does.
 *
 * @param responses by command, such as `LIST` or `UID FETCH`; the others get OK
 */
export async function aFakeImapServer(
  responses: Record<string, Respond>,
): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const respond = (socket: Socket, line: string) => {
    const [tag = "", ...words] = line.split(" ");
    const isByUid = words[0]?.toUpperCase() === "UID";
    const command = words
      .slice(0, isByUid ? 2 : 1)
      .join(" ")
      .toUpperCase();
    const known = responses[command];
    if (known) known(socket, tag, words.slice(isByUid ? 2 : 1));
    else if (command === "NAMESPACE")
      socket.write(`* NAMESPACE (("" "/")) NIL NIL\r\n${tag} OK done\r\n`);
    else socket.write(`${tag} OK done\r\n`);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(
      "* OK [CAPABILITY IMAP4rev1 AUTH=XOAUTH2 SASL-IR NAMESPACE LIST-EXTENDED LIST-STATUS] ready\r\n",
    );
    socket.on("data", (data) => {
      for (const line of data.toString().trim().split("\r\n")) respond(socket, line);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Writes the same until the client disconnects. */
export function flood(socket: Socket, text: string): void {
  while (socket.writable && socket.write(text));
  if (socket.writable) socket.once("drain", () => flood(socket, text));
}
