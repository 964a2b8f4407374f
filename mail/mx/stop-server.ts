import { setTimeout as delay } from "node:timers/promises";

import type { SMTPServer, SMTPServerSession } from "smtp-server";

/**
 * How long a stop waits for replies to messages that were received. Dovecot and the other parts of the process
 * need the rest of the supervisor's limit. To be set as the server's `closeTimeout`.
 */
export const REPLIES_GRACE_MS = 25_000;

const CHECK_EVERY_MS = 20;
/** Clients that got their last reply may take this long to close the connection. */
const DISCONNECT_MS = 1_000;

/**
 * Stops an SMTP server: it accepts no more connections, and ends each session with a 421 as soon as it isn't
 * waiting for the reply to a whole message. Without that reply, the client would send the message again.
 */
export async function stopServer(
  server: SMTPServer,
  isReplying: (session: SMTPServerSession) => boolean,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const giveUpAt = performance.now() + REPLIES_GRACE_MS;
  while (server.connections.size > 0 && performance.now() < giveUpAt) {
    for (const connection of server.connections)
      if (!isReplying(connection.session))
        connection.send(421, "4.3.2 Shutting down, try again later", false);
    await Promise.race([closed, delay(CHECK_EVERY_MS)]);
  }
  await Promise.race([closed, delay(DISCONNECT_MS)]);
}
