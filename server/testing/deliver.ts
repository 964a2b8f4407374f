import { createConnection } from "node:net";
import { createInterface } from "node:readline";

const MESSAGE = ["From: ann@example.test", "Subject: Hello", "", "Hello there."].join("\r\n");

/**
 * Delivers a message over LMTP (RFC 2033) to one recipient.
 *
 * @returns the deciding reply: the rejection of the recipient, or the reply to the message
 */
export async function deliver(
  lmtpSocket: string,
  to: string,
  message: string = MESSAGE,
  sender = "ann@example.test",
): Promise<string> {
  const socket = createConnection(lmtpSocket);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  /** The last line of the reply to `command`. */
  const ask = async (command: string) => {
    socket.write(command);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`LMTP ended at ${command.trim()}`);
      if (!/^\d{3}-/.test(value)) return value;
    }
  };
  try {
    await ask("");
    await ask("LHLO test\r\n");
    await ask(`MAIL FROM:<${sender}>\r\n`);
    const recipient = await ask(`RCPT TO:<${to}>\r\n`);
    if (!recipient.startsWith("250")) return recipient;
    await ask("DATA\r\n");
    return await ask(`${message.replaceAll(/^\./gm, "..")}\r\n.\r\n`);
  } finally {
    socket.destroy();
  }
}
