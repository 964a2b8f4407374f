import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

export type DialogHost = {
  port: number;
  /** Messages begun with MAIL, and connections. */
  counts: { connections: number; messages: number };
  /** @throws Error if a client sent anything but what the dialog says */
  close(): Promise<void>;
};

/**
 * A mail server that plays its side of an SMTP dialog on each connection, one step per line:
 *
 *     S: 250 OK     sends a line
 *     C: MAIL       waits for a line that starts with "MAIL"
 *     C: .          waits for the end of the message
 *     CLOSE         closes the connection
 *
 * QUIT and RSET need no step. Another MAIL after the last step starts again at the first MAIL.
 */
export async function aDialogHost(steps: string[]): Promise<DialogHost> {
  const counts = { connections: 0, messages: 0 };
  const violations: string[] = [];
  const sockets = new Set<Socket>();

  /** Handles commands that aren't steps. */
  const nextCommand = async (socket: Socket, lines: AsyncIterator<string>) => {
    for (;;) {
      const next = await lines.next();
      if (next.done) return null;
      if (next.value === "QUIT") socket.write("221 Bye\r\n");
      else if (next.value === "RSET") socket.write("250 OK\r\n");
      else return next.value;
    }
  };
  /** The number of the step that the command fulfills. */
  const findStep = (at: number, command: string): number => {
    const isMail = command.startsWith("MAIL");
    if (isMail) counts.messages++;
    const found = steps[at] === undefined && isMail ? steps.indexOf("C: MAIL") : at;
    if (command.startsWith(steps[found]?.slice(3) ?? "QUIT")) return found;
    throw new Error(`${command} instead of ${steps[found] ?? "QUIT"}`);
  };
  const play = async (socket: Socket) => {
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    for (let at = 0; ; at++) {
      const step = steps[at];
      if (step === "CLOSE") return socket.end();
      if (step?.startsWith("S: ")) socket.write(`${step.slice(3)}\r\n`);
      else {
        let command = await nextCommand(socket, lines);
        if (step === "C: .")
          while (command !== null && command !== ".") command = await nextCommand(socket, lines);
        if (command === null) return;
        at = findStep(at, command);
      }
    }
  };

  const server = createServer((socket) => {
    counts.connections++;
    sockets.add(socket.on("error", () => undefined));
    play(socket).catch((error: unknown) => {
      violations.push(String(error));
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    counts,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
      if (violations.length > 0) throw new Error(violations.join("; "));
    },
  };
}
