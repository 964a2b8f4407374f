import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";

import type { Logger } from "pino";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";

import { Message } from "#server/core/shared/mime/message.ts";
import { queueSieveMail, SieveMailRejected } from "#server/core/mail/sieve-mail/sieve-mail.ts";
import type { Db } from "#server/db/client.ts";
import { serviceUser } from "#server/processes/service-user.ts";

const SOCKET_TABLE = "/proc/net/tcp";

/** Larger than any delivered message. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const IDLE_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 1_000;

export type SieveListener = { port: number; stop(): Promise<void> };

class SmtpReply extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

/**
 * Accepts mail from Sieve scripts: Dovecot submits forwarded messages and vacation replies over SMTP during a delivery.
 * 250 means queued, 451 makes the delivery retry, 5xx keeps the message in the mailbox.
 *
 * Listens on loopback and serves processes of Dovecot's user only, so that other users of the machine cannot send in the
 * name of mailboxes.
 */
export async function startSieveListener({
  db,
  log,
}: {
  db: Db;
  log: Logger;
}): Promise<SieveListener> {
  const { uid } = await serviceUser();
  const server = new SMTPServer({
    name: "localhost",
    banner: "Posthouse",
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS", "HELP", "WIZ", "SHELL", "KILL"],
    disableReverseLookup: true,
    hideREQUIRETLS: true,
    hideDSN: true,
    maxRecipients: 1,
    // Senders with dots side by side get vacation replies, too.
    lenientAddressParsing: true,
    size: MESSAGE_BYTES_MAX,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    logger: false,
    onConnect: (session, done) => {
      void peerUid(session).then(
        (peer) => done(peer === uid ? null : new SmtpReply(554, "5.7.1 Access denied")),
        () => done(new SmtpReply(421, "4.3.0 Local error")),
      );
    },
    onData: (stream, session, done) => {
      void takeWhole(stream, (content) =>
        queueSieveMail(db, { ...envelopeOf(session), message: new Message(content) }),
      ).then(
        () => done(null, "2.0.0 Queued"),
        (error: unknown) => done(replyTo(error, log)),
      );
    },
  });
  server.on("error", (error) => log.debug({ err: error }, "SMTP session with Dovecot failed"));
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Dovecot submits one message per recipient. */
const envelopeOf = ({ envelope: { mailFrom, rcptTo } }: SMTPServerSession) => ({
  sender: mailFrom === false ? "" : mailFrom.address,
  recipient: rcptTo[0]!.address,
});

async function takeWhole(
  stream: SMTPServerDataStream,
  take: (content: Buffer) => Promise<void>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>)
    if (!stream.sizeExceeded) chunks.push(chunk);
  if (stream.sizeExceeded) throw new SieveMailRejected("The message is too large");
  await take(Buffer.concat(chunks));
}

function replyTo(error: unknown, log: Logger): SmtpReply {
  if (error instanceof SieveMailRejected) {
    log.info({ reason: error.message }, "Sieve mail rejected");
    return new SmtpReply(550, `5.7.1 ${error.message}`);
  }
  log.error({ err: error }, "could not queue Sieve mail");
  return new SmtpReply(451, "4.3.0 Local error, try again later");
}

/**
 * The uid of the process at the other end of a loopback connection, from the kernel's socket table; null if it is not
 * listed.
 */
async function peerUid(connection: {
  remoteAddress: string;
  remotePort: number;
  localPort: number;
}): Promise<number | null> {
  if (connection.remoteAddress !== "127.0.0.1") return null;
  const peer = `0100007F:${hexPort(connection.remotePort)}`;
  const own = `0100007F:${hexPort(connection.localPort)}`;
  for (const line of (await readFile(SOCKET_TABLE, "latin1")).split("\n")) {
    // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid
    const [, local, remote, , , , , uid] = line.trim().split(/\s+/);
    if (local === peer && remote === own) return Number(uid);
  }
  return null;
}

const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
