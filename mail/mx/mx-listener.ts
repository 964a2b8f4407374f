import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";

import type { Logger } from "pino";
import { SMTPServer, type SMTPServerSession } from "smtp-server";

import type { Certificate } from "#server/core/tls/check-certificate.ts";
import type { Db } from "#server/db/client.ts";

import { checkParameters, MAIL_PARAMETERS } from "./check-parameters.ts";
import { withMessage } from "./collect-message.ts";
import { ConnectionLimits, limitLife } from "./connection-limits.ts";
import { onData } from "./on-data.ts";
import { onRcptTo } from "./on-rcpt-to.ts";
import { SmtpReply } from "./smtp-reply.ts";

const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
const RECIPIENTS_MAX = 20;
/** Refused recipients of one connection: who asks on is guessing names. */
const REFUSALS_MAX = 10;
const COMMAND_OCTETS_MAX = 2_048;
const CONNECTIONS_MAX = 100;
const CONNECTIONS_PER_NETWORK_MAX = 20;
/** RFC 5321, 4.5.3.2 has five minutes for a command; nobody honest needs one here. */
const IDLE_TIMEOUT_MS = 60_000;
const LIFE_MAX_MS = 10 * 60_000;
const CLOSE_TIMEOUT_MS = 3_000;

export type MxOptions = {
  db: Db;
  log: Logger;
  hostname: string;
  certificate: Certificate;
  bind: string;
  /** 0: a free one. */
  port: number;
  limits?: { connectionsPerNetworkMax?: number; lifeMaxMs?: number };
};

export type MxListener = {
  port: number;
  /** Shows another certificate from the next STARTTLS on. */
  useCertificate(certificate: Certificate): void;
  /** Takes no more connections, and ends those there are. */
  stop(): Promise<void>;
};

/**
 * Takes mail from other servers (RFC 5321): reports about our domains and what comes back of our mail.
 * No AUTH, STARTTLS for who wants it (RFC 3207). 250 means committed; trouble of ours is 451.
 *
 * @throws Error when it cannot listen
 */
export async function startMxListener(options: MxOptions): Promise<MxListener> {
  const { db, log, hostname, bind, port, limits: { lifeMaxMs = LIFE_MAX_MS } = {} } = options;
  const limits = new ConnectionLimits(
    options.limits?.connectionsPerNetworkMax ?? CONNECTIONS_PER_NETWORK_MAX,
  );
  const entered = new WeakSet<SMTPServerSession>();
  const refusals = new WeakMap<SMTPServerSession, number>();
  const replyTo = async (session: SMTPServerSession, work: () => Promise<void> | void) => {
    try {
      await work();
      return null;
    } catch (error) {
      if (error instanceof SmtpReply) return error;
      log.error({ err: error, session: session.id }, "a mail session failed");
      return new SmtpReply(451, "4.3.0", "Local error, try again later");
    }
  };

  const server = new SMTPServer({
    ...tlsOptions(options.certificate),
    name: hostname,
    banner: "Posthouse",
    size: MESSAGE_BYTES_MAX,
    maxRecipients: RECIPIENTS_MAX,
    maxClients: CONNECTIONS_MAX,
    maxCommandLength: COMMAND_OCTETS_MAX,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    disabledCommands: ["AUTH", "HELP", "WIZ", "SHELL", "KILL"],
    hideENHANCEDSTATUSCODES: true,
    hideDSN: true,
    hideREQUIRETLS: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) => {
      void replyTo(session, () => {
        limits.enter(session.remoteAddress);
        entered.add(session);
      }).then(done);
    },
    onClose: (session) => {
      if (entered.delete(session)) limits.leave(session.remoteAddress);
    },
    onMailFrom: (sender, session, done) => {
      void replyTo(session, () => checkParameters(sender, MAIL_PARAMETERS)).then(done);
    },
    onRcptTo: (recipient, session, done) => {
      void replyTo(session, async () => {
        checkParameters(recipient, []);
        await onRcptTo(db, recipient.address, hostname);
      }).then((refusal) => {
        const refused = (refusals.get(session) ?? 0) + (refusal === null ? 0 : 1);
        refusals.set(session, refused);
        done(refused > REFUSALS_MAX ? tooMany() : refusal);
      });
    },
    onData: (stream, session, done) => {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      void replyTo(session, () =>
        withMessage(stream, (message) => onData(message, recipients, { db, hostname, log })),
      ).then((refusal) => done(refusal, "2.0.0 Taken"));
    },
  });
  server.server.on("connection", (socket: Socket) => limitLife(socket, lifeMaxMs));
  // Most are of one connection, and its other end's doing.
  server.on("error", (error) => log.debug({ err: error }, "a mail session broke off"));
  server.listen(port, bind);
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    useCertificate: (certificate) => server.updateSecureContext(tlsOptions(certificate)),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const tooMany = () => new SmtpReply(421, "4.7.0", "Too many recipients that are not here");

const tlsOptions = ({ certificate, key }: Certificate) => ({
  cert: certificate,
  key,
  minVersion: "TLSv1.2" as const,
});
