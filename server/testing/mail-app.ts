import { createConnection } from "node:net";
import { text } from "node:stream/consumers";

import { ImapFlow, type ImapFlowOptions } from "imapflow";

/**
 * A mail app signed in over IMAP. `close` drops the connection, `logout` ends the session.
 *
 * @param options connection options; plain text by default
 */
export async function signIn(
  port: number,
  address: string,
  { password = "test password", ...options }: Partial<ImapFlowOptions> & { password?: string } = {},
): Promise<ImapFlow> {
  const app = new ImapFlow({
    host: "127.0.0.1",
    port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: address, pass: password },
    logger: false,
    ...options,
  });
  // Without a listener, a connection that Dovecot closes would end the test run.
  app.on("error", () => {});
  await app.connect();
  return app;
}

/**
 * Activates a Sieve script of a mailbox over ManageSieve (RFC 5804).
 *
 * @param host a loopback address
 */
export async function putScript(
  port: number,
  address: string,
  script: string,
  host = "127.0.0.1",
): Promise<void> {
  const credentials = Buffer.from(`\0${address}\0test password`).toString("base64");
  // Passwords are accepted without TLS from the server's own address only.
  const socket = createConnection({ port, host, localAddress: host });
  socket.write(`AUTHENTICATE "PLAIN" "${credentials}"\r\n`);
  socket.write(`PUTSCRIPT "own" {${Buffer.byteLength(script)}+}\r\n${script}\r\n`);
  socket.write('SETACTIVE "own"\r\nLOGOUT\r\n');
  const answers = await text(socket);
  if (/^(NO|BYE)(?! "Logout)/m.test(answers)) throw new Error(answers);
}
