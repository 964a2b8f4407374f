import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";

import { SMTPServer, type SMTPServerSession } from "smtp-server";

import { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import { readMessageId } from "#server/core/shared/mime/read-header.ts";
import { cachingResolver } from "#server/core/mail/authentication/caching-resolver.ts";
import { lmtpSocketPath } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/acceptance-blocker.ts";
import type { Certificate } from "#server/core/platform/tls/check-certificate.ts";
import { createCarrier } from "#worker/delivery/carrier/create-carrier.ts";
import type { Timeouts } from "#worker/delivery/smtp/timeouts.ts";

import { withMessage } from "./collect-message.ts";
import type { Door, Incoming } from "./door.ts";
import { ConnectionLives } from "./limit-life.ts";
import { CONNECTIONS_MAX, createLimits, type LimitOptions } from "./limits.ts";
import { MxSession } from "./mx-session.ts";
import { type MessageFacts, noteAnswer } from "./note-answer.ts";
import { SmtpReply } from "./smtp-reply.ts";
import { REPLIES_GRACE_MS, stopServer } from "./stop-server.ts";

const MESSAGE_BYTES_MAX = 35 * 1024 * 1024;
/** RFC 5321, 4.5.3.1.8 wants as many. */
const RECIPIENTS_MAX = 100;
const COMMAND_OCTETS_MAX = 2_048;
/** Connections beyond our slots that smtp-server accepts while others are being refused or closed. */
const CLOSING_MAX = 100;
const TAKEN = "2.0.0 Taken";
/** RFC 5321, 4.5.3.2 has five minutes for a command and three for a block of the message; nobody honest needs them. */
const IDLE_TIMEOUT_MS = 2 * 60_000;

/** To Dovecot, which is on this machine: their sum stays below what senders wait for an answer. */
const LMTP_TIMEOUTS: Partial<Timeouts> = {
  connectMs: 10_000,
  greetingMs: 30_000,
  commandMs: 30_000,
  mailMs: 30_000,
  rcptMs: 60_000,
  dataMs: 30_000,
  blockMs: 60_000,
  acceptMs: 120_000,
  // Between two messages of a quiet hour a new connection costs nobody anything.
  idleMs: 10_000,
};

export type MxOptions = Pick<Door, "db" | "log" | "hostname" | "resolver"> & {
  /** Where Dovecot's sockets are found. */
  dataFolder: string;
  certificate: Certificate;
  bind: string;
  /** 0: a free one. */
  port: number;
  limits?: LimitOptions;
};

export type MxListener = {
  port: number;
  /** Shows another certificate from the next STARTTLS on. */
  useCertificate(certificate: Certificate): void;
  /** Accepts no more connections, answers the messages that were received, and ends all sessions. */
  stop(): Promise<void>;
};

/**
 * Takes mail from other servers (RFC 5321): for people, and what comes back about our mail. No AUTH,
 * STARTTLS for who wants it (RFC 3207). 250 means committed or in the mailbox; trouble of ours is 451.
 *
 * @throws Error when it cannot listen
 */
export async function startMxListener(options: MxOptions): Promise<MxListener> {
  const { db, log, hostname, resolver, dataFolder, bind, port } = options;
  const limits = createLimits(options.limits);
  const lives = new ConnectionLives(limits.life);
  const carrier = createCarrier({
    ...{ hostname, resolver, timeouts: LMTP_TIMEOUTS },
    // For other hosts, which nothing from here goes to.
    outboundPort: 25,
  });
  const door: Door = {
    ...{ db, log, hostname, resolver, carrier, domains: new OwnedDomains(db) },
    recent: cachingResolver(resolver),
    lmtpSocketPath: () => lmtpSocketPath(dataFolder),
    whyNotNow: () => acceptanceBlocker(db),
  };
  const sessions = new WeakMap<SMTPServerSession, MxSession>();
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

  const noted =
    (session: SMTPServerSession, about: { sender?: string; recipient?: string } = {}) =>
    (refusal: SmtpReply | null) => {
      if (refusal) noteAnswer(db, session, { kind: "refused", reply: refusal, ...about });
      return refusal;
    };

  const server = new SMTPServer({
    ...tlsOptions(options.certificate),
    name: hostname,
    banner: "Posthouse",
    size: MESSAGE_BYTES_MAX,
    maxRecipients: RECIPIENTS_MAX,
    maxClients: CONNECTIONS_MAX + CLOSING_MAX,
    maxCommandLength: COMMAND_OCTETS_MAX,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: REPLIES_GRACE_MS,
    disabledCommands: ["AUTH", "HELP", "WIZ", "SHELL", "KILL"],
    hideENHANCEDSTATUSCODES: true,
    hideDSN: true,
    hideREQUIRETLS: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) => {
      void replyTo(session, () => {
        const close = (reply: SmtpReply) => closeSession(server, session, reply);
        sessions.set(session, new MxSession(session, { door, limits, close }));
      })
        .then(noted(session))
        .then(done);
    },
    onClose: (session) => {
      sessions.get(session)?.end();
      sessions.delete(session);
    },
    onMailFrom: (sender, session, done) => {
      void replyTo(session, () => sessions.get(session)!.mailFrom(sender))
        .then(noted(session, { sender: sender.address }))
        .then(done);
    },
    onRcptTo: (recipient, session, done) => {
      void replyTo(session, () => sessions.get(session)!.rcptTo(recipient))
        .then(noted(session, { recipient: recipient.address }))
        .then(done);
    },
    onData: (stream, session, done) => {
      const mx = sessions.get(session)!;
      const incoming = mx.incoming();
      let message: MessageFacts | null = null;
      void replyTo(session, () =>
        withMessage(stream, mx.room(), (content) => {
          message = { size: content.length, messageId: readMessageId(content) };
          return lives.whileReplying(session, () => mx.take(content, incoming));
        }),
      ).then((refusal) => {
        noteMessage(db, session, { incoming, refusal, message });
        done(refusal, TAKEN);
      });
    },
  });
  server.server.on("connection", (socket: Socket) => lives.limit(socket));
  // Most are of one connection, and its other end's doing.
  server.on("error", (error) => log.debug({ err: error }, "a mail session broke off"));
  server.listen(port, bind);
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    useCertificate: (certificate) => server.updateSecureContext(tlsOptions(certificate)),
    async stop() {
      limits.connections.stop();
      await stopServer(server, (session) => lives.isReplying(session));
      await carrier.close();
    },
  };
}

/** Closes a session's connection with a reply. */
export function closeSession(
  server: SMTPServer,
  session: SMTPServerSession,
  { responseCode, message }: SmtpReply,
): void {
  for (const connection of server.connections)
    if (connection.session === session) connection.send(responseCode, message, false);
}

/** One row for each recipient that the message was taken or refused for. */
function noteMessage(
  db: Door["db"],
  session: SMTPServerSession,
  {
    incoming,
    refusal,
    message,
  }: {
    incoming: Incoming;
    refusal: SmtpReply | null;
    message: MessageFacts | null;
  },
): void {
  for (const taker of incoming.takers)
    noteAnswer(db, session, {
      kind: refusal ? "refused" : "received",
      reply: refusal ?? `250 ${TAKEN}`,
      recipient: typeof taker.address === "string" ? taker.address : null,
      companyId: "companyId" in taker ? taker.companyId : null,
      ...message,
    });
}

const tlsOptions = ({ certificate, key }: Certificate) => ({
  cert: certificate,
  key,
  minVersion: "TLSv1.2" as const,
});
