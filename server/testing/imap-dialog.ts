import type { TcpNetConnectOpts } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";

/**
 * Sends commands to an IMAP server over TLS, one after another, and returns the tagged responses.
 *
 * @param from the loopback address of the client, which counts as its source
 */
export async function imapDialog(
  port: number,
  commands: string[],
  { from = "127.0.0.1" }: { from?: string } = {},
): Promise<string[]> {
  // Node passes `localAddress` on to `net.connect`.
  const options: ConnectionOptions & TcpNetConnectOpts = {
    port,
    host: "127.0.0.1",
    localAddress: from,
    rejectUnauthorized: false,
  };
  const socket = connect(options);
  const answers: string[] = [];
  let text = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString("latin1");
    const lines = text.split("\r\n");
    text = lines.pop()!;
    for (const line of lines) {
      const isGreeting = /^\* OK /.test(line) && answers.length === 0;
      if (!isGreeting && !/^t /.test(line)) continue;
      answers.push(line);
      const next = commands[answers.length - 1];
      if (next !== undefined) socket.write(`t ${next}\r\n`);
    }
    if (answers.length > commands.length) break;
  }
  return answers.slice(1);
}

/** The response to an IMAP sign-in, without the tag. */
export async function imapSignIn(
  port: number,
  address: string,
  { password = "test password", from }: { password?: string; from?: string } = {},
): Promise<string> {
  const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;
  const command = `LOGIN ${quoted(address)} ${quoted(password)}`;
  const [answer = "closed"] = await imapDialog(port, [command], { from });
  return answer.replace(/^t /, "");
}
