import { ImapFlow, type ImapFlowOptions } from "imapflow";

/**
 * A mail app that signs in with IMAP. Its `close` ends it at once, `logout` politely.
 *
 * @param options beside those; plain text unless they say otherwise
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
  // A connection that Dovecot ends is told here too; without a listener it would end the test run.
  app.on("error", () => {});
  await app.connect();
  return app;
}
