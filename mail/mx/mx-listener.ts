import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { SMTPServer, type SMTPServerSession } from "smtp-server";

import { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { cachingResolver } from "#server/core/mail/authentication/caching-resolver.ts";
import { lmtpPlace } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import { ReceivingEstimate } from "#server/core/mail/received/receiving-limits.ts";
import { addDmarcCounts, type DmarcRow } from "#server/core/mail/sent-reports/dmarc-reports.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { CountBuffer } from "#server/core/shared/count-buffer.ts";
import type { Cidr } from "#server/config.ts";
import type { NamedCertificates } from "#server/core/platform/certificates/stored-certificates.ts";
import type { Certificate } from "#server/core/platform/tls/certificate.ts";
import { expectProxyHeaders } from "#mail/proxy-protocol.ts";
import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";
import type { Timeouts } from "#mail/smtp/session.ts";

import { collectMessage } from "./collect-message.ts";
import type { DeliveryOutcome } from "./deliver.ts";
import type { MxContext } from "./mx-context.ts";
import {
  closeSession,
  ConnectionLifetimes,
  REPLIES_GRACE_MS,
  stopServer,
  tlsOptions,
} from "./connections.ts";
import { CONNECTIONS_MAX, createLimits, type LimitOptions, MESSAGE_BYTES_MAX } from "./limits.ts";
import { MxSession } from "./mx-session.ts";
import { ACCEPTED, logReply, type MessageFacts, recordMessageReplies } from "./replies.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** The minimum of RFC 5321, 4.5.3.1.8. */
const RECIPIENTS_MAX = 100;
const COMMAND_OCTETS_MAX = 2_048;
/** Connections beyond our slots that smtp-server accepts while others are being rejected or closed. */
const CLOSING_MAX = 100;
/** RFC 5321, 4.5.3.2 suggests five minutes for a command and three for a data block; legitimate clients need less. */
const IDLE_TIMEOUT_MS = 2 * 60_000;

/** For local Dovecot. In sum below what senders wait for a reply. */
const LMTP_TIMEOUTS: Partial<Timeouts> = {
  connectMs: 10_000,
  greetingMs: 30_000,
  commandMs: 30_000,
  mailMs: 30_000,
  rcptMs: 60_000,
  dataMs: 30_000,
  blockMs: 60_000,
  acceptMs: 120_000,
  // Reconnecting is cheap when there is little mail.
  idleMs: 10_000,
};

export type MxOptions = Pick<MxContext, "db" | "log" | "hostname" | "resolver"> & {
  dataFolder: string;
  certificate: Certificate;
  /** Chooses another certificate by the name that the client asks for. */
  sniCallback?: NamedCertificates["sniCallback"];
  bind: string;
  /** 0 picks a free port. */
  port: number;
  limits?: LimitOptions;
  /** Networks of proxies that send PROXY headers. */
  proxies?: Cidr[];
};

export type MxListener = {
  port: number;
  /** Uses another certificate from the next STARTTLS on. */
  useCertificate(certificate: Certificate): void;
  /** Accepts no more connections, replies to the messages that were received, and ends all sessions. */
  stop(): Promise<void>;
};

/**
 * Accepts mail from other servers (RFC 5321): for mailboxes, groups and owners, and bounces and reports about
 * our own mail. No AUTH; STARTTLS is optional (RFC 3207). 250 means committed or in the mailbox; internal
 * errors are 451.
 *
 * @throws Error when it cannot listen
 */
export async function startMxListener(options: MxOptions): Promise<MxListener> {
  const { db, log, hostname, resolver, dataFolder, bind, port, proxies = [] } = options;
  const limits = createLimits(options.limits);
  const lifetimes = new ConnectionLifetimes(limits.life);
  const store = new MailboxStore({ hostname, timeouts: LMTP_TIMEOUTS });
  const dmarc = new CountBuffer<DmarcRow>({
    write: (rows) => addDmarcCounts(db, rows),
    what: "messages for DMARC reports",
    log,
  });
  const context: MxContext = {
    db,
    log,
    hostname,
    resolver,
    store,
    domains: new OwnedDomains(db),
    cachedResolver: cachingResolver(resolver),
    receiving: new ReceivingEstimate(),
    lmtpPlace: (storeHost) => lmtpPlace(dataFolder, storeHost),
    countDmarc: (row) => dmarc.add(row),
    acceptanceBlocker: () => acceptanceBlocker(db),
  };
  const sessions = new WeakMap<SMTPServerSession, MxSession>();
  const runForReply = async (session: SMTPServerSession, work: () => Promise<void> | void) => {
    try {
      await work();
      return null;
    } catch (error) {
      if (error instanceof SmtpReply) return error;
      log.error({ err: error, session: session.id }, "SMTP session failed");
      return new SmtpReply(451, "4.3.0", "Local error, try again later");
    }
  };

  const recordRejection =
    (session: SMTPServerSession, about: { sender?: string; recipient?: string } = {}) =>
    async (refusal: SmtpReply | null) => {
      if (!refusal) return null;
      const domain = addressDomain(about.recipient?.toLowerCase() ?? "");
      const companyId = await context.domains.companyOf(domain).catch(() => null);
      logReply(db, session, { kind: "refused", reply: refusal, companyId, ...about });
      return refusal;
    };

  const server = new SMTPServer({
    ...tlsOptions(options.certificate),
    ...(options.sniCallback && { SNICallback: options.sniCallback }),
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
    // `readReversePath` and `parseAddress` are strict. smtp-server would reject senders at hosts with underscores.
    lenientAddressParsing: true,
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) => {
      void runForReply(session, () => {
        const close = (reply: SmtpReply) => closeSession(server, session, reply);
        sessions.set(session, new MxSession(session, { context, limits, close }));
      })
        .then(recordRejection(session))
        .then(done);
    },
    onClose: (session) => {
      sessions.get(session)?.end();
      sessions.delete(session);
    },
    onMailFrom: (sender, session, done) => {
      void runForReply(session, () => sessions.get(session)!.mailFrom(sender))
        .then(recordRejection(session, { sender: sender.address }))
        .then(done);
    },
    onRcptTo: (recipient, session, done) => {
      void runForReply(session, () => sessions.get(session)!.rcptTo(recipient))
        .then(recordRejection(session, { recipient: recipient.address }))
        .then(done);
    },
    onData: (stream, session, done) => {
      const mx = sessions.get(session)!;
      const incoming = mx.incoming();
      let message: MessageFacts | null = null;
      let outcomes: DeliveryOutcome[] = [];
      void runForReply(session, () =>
        collectMessage(stream, mx.messageMemory(), (content) => {
          const received = new Message(content);
          message = { size: content.length, messageId: received.messageId };
          return lifetimes.whileReplying(session, async () => {
            outcomes = await mx.receive(received, incoming);
          });
        }),
      ).then((refusal) => {
        recordMessageReplies(db, session, { incoming, refusal, message, outcomes });
        done(refusal, ACCEPTED);
      });
    },
  });
  // A proxy has timeouts of its own, and the sessions behind it have other addresses than its sockets.
  expectProxyHeaders(server, proxies, (socket) => lifetimes.limit(socket));
  // Mostly clients that disconnect.
  server.on("error", (error) => log.debug({ err: error }, "SMTP session error"));
  server.listen(port, bind);
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    useCertificate: (certificate) => server.updateSecureContext(tlsOptions(certificate)),
    async stop() {
      limits.connections.stop();
      await stopServer(server, (session) => lifetimes.isReplying(session));
      await store.close();
      await dmarc.flush();
    },
  };
}
