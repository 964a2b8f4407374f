import { once } from "node:events";
import type { AddressInfo } from "node:net";

import type { Logger } from "pino";
import { SMTPServer, type SMTPServerSession } from "smtp-server";

import { collectMessage } from "#mail/mx/collect-message.ts";
import { ConnectionSlots } from "#mail/mx/connection-slots.ts";
import {
  closeSession,
  ConnectionLifetimes,
  REPLIES_GRACE_MS,
  stopServer,
  tlsOptions,
} from "#mail/mx/connections.ts";
import { MESSAGE_BYTES_MAX, toWideNetwork } from "#mail/mx/limits.ts";
import { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";
import { logReply, type MessageFacts } from "#mail/mx/replies.ts";
import { expectProxyHeaders } from "#mail/proxy-protocol.ts";
import type { Cidr } from "#server/config.ts";
import { SmtpReply } from "#mail/mx/smtp-reply.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { sourceNetwork } from "#server/core/access/sign-in/throttle.ts";
import type { NamedCertificates } from "#server/core/platform/certificates/stored-certificates.ts";
import type { Certificate } from "#server/core/platform/tls/certificate.ts";
import type { Db } from "#server/db/client.ts";

import { acceptSubmission, checkMailFrom, checkRecipient } from "./commands.ts";
import { toSmtpReply } from "./error-reply.ts";
import { sessionCompanyId, type SessionUser, signInClient } from "./sign-in.ts";

const RECIPIENTS_MAX = 100;
const COMMAND_OCTETS_MAX = 4_096;
const CONNECTIONS_MAX = 400;
/** An office may share one IP address. */
const CONNECTIONS_PER_NETWORK_MAX = 60;
/** RFC 5321, 4.5.3.2. */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** Idle limit before sign-in when connections run low. Mail apps ask for the password before they connect. */
const PRESSURE_IDLE_MS = 20_000;
/** Extra connections, for those being rejected or closed. */
const CLOSING_MAX = 100;
/** Base lifetime of a connection; bytes received extend it. */
const LIFE_MS = 30 * 60_000;
const BYTES_PER_SECOND_MIN = 1_024;
/** Per connection. */
const FAILED_SIGN_INS_MAX = 3;
/** Shared by both listeners. One mailbox or key can use a quarter of it. */
const memory = new SharedMemory();

export type SubmissionOptions = {
  db: Db;
  log: Logger;
  hostname: string;
  certificate: Certificate;
  /** Chooses another certificate by the name that the client asks for. */
  sniCallback?: NamedCertificates["sniCallback"];
  bind: string;
  /** 0 picks a free port. */
  port: number;
  /** TLS from the first byte (RFC 8314, 3.3), otherwise STARTTLS. */
  isImplicitTls: boolean;
  /** Networks of proxies that send PROXY headers. */
  proxies?: Cidr[];
  limits?: { connectionsPerNetworkMax?: number; lifeMs?: number };
};

export type SubmissionListener = {
  port: number;
  /** Uses another certificate from the next handshake on. */
  useCertificate(certificate: Certificate): void;
  /** Accepts no more connections, replies to the messages that were received, and ends all sessions. */
  stop(): Promise<void>;
};

/**
 * Accepts mail from signed-in mail apps and programs (RFC 6409, RFC 8314), over TLS. 250 means committed;
 * internal errors are 451.
 *
 * @throws Error when it cannot listen
 */
export async function startSubmissionListener(
  options: SubmissionOptions,
): Promise<SubmissionListener> {
  const { db, log, hostname, bind, port, limits: { lifeMs = LIFE_MS } = {} } = options;
  const slots = new ConnectionSlots<SMTPServerSession>({
    max: CONNECTIONS_MAX,
    perNetworkMax: options.limits?.connectionsPerNetworkMax ?? CONNECTIONS_PER_NETWORK_MAX,
    idleMs: IDLE_TIMEOUT_MS,
    pressureIdleMs: PRESSURE_IDLE_MS,
  });
  const lifetimes = new ConnectionLifetimes({
    lifetimeMs: lifeMs,
    bytesPerSecondMin: BYTES_PER_SECOND_MIN,
  });
  const failures = new WeakMap<SMTPServerSession, number>();
  /** The result of `work`, or the reply to its error. */
  const runOrReply = async <Result>(
    session: SMTPServerSession,
    work: () => Promise<Result> | Result,
  ): Promise<{ result: Result } | { refusal: SmtpReply }> => {
    try {
      return { result: await work() };
    } catch (error) {
      const refusal = toSmtpReply(error);
      if (refusal) return { refusal };
      log.error({ err: error, session: session.id }, "SMTP session failed");
      return { refusal: new SmtpReply(451, "4.3.0", "Local error, try again later") };
    }
  };
  const runForReply = async (
    session: SMTPServerSession,
    work: () => Promise<void> | void,
    about: { sender?: string; recipient?: string } = {},
  ) => {
    const outcome = await runOrReply(session, work);
    if (!("refusal" in outcome)) return null;
    const user = session.user as SessionUser | undefined;
    const companyId = user ? sessionCompanyId(user) : null;
    logReply(db, session, { kind: "refused", reply: outcome.refusal, companyId, ...about });
    return outcome.refusal;
  };

  const server = new SubmissionServer({
    ...tlsOptions(options.certificate),
    ...(options.sniCallback && { SNICallback: options.sniCallback }),
    secure: options.isImplicitTls,
    name: hostname,
    banner: "Posthouse",
    size: MESSAGE_BYTES_MAX,
    maxRecipients: RECIPIENTS_MAX,
    maxClients: CONNECTIONS_MAX + CLOSING_MAX,
    maxCommandLength: COMMAND_OCTETS_MAX,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: REPLIES_GRACE_MS,
    authMethods: ["PLAIN", "LOGIN"],
    maxAllowedUnauthenticatedCommands: 25,
    authRequiredMessage: "5.7.0 Authentication over TLS required",
    // Without this, smtp-server rejects recipients with dots that `parseRecipient` accepts. `parseAddress` checks senders.
    lenientAddressParsing: true,
    disabledCommands: ["HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"],
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    hideREQUIRETLS: true,
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) => {
      void runForReply(session, () => {
        slots.enter(session, {
          network: sourceNetwork(session.remoteAddress),
          wideNetwork: toWideNetwork(session.remoteAddress),
          end: (reply) => closeSession(server, session, reply),
        });
      }).then(done);
    },
    onClose: (session) => {
      slots.leave(session);
    },
    onAuth: ({ username = "", password }, session, done) => {
      const credentials = {
        username,
        password: password ?? "",
        clientAddress: session.remoteAddress,
      };
      const signingIn = () => slots.whileWorking(session, () => signInClient(db, credentials));
      void runOrReply(session, signingIn).then((outcome) => {
        if ("result" in outcome) {
          slots.trust(session);
          return done(null, { user: outcome.result });
        }
        const { refusal: reply } = outcome;
        logReply(db, session, { kind: "sign_in_failed", reply, sender: username });
        const failed = (failures.get(session) ?? 0) + 1;
        failures.set(session, failed);
        done(failed > FAILED_SIGN_INS_MAX ? tooManySignIns() : outcome.refusal);
      });
    },
    onMailFrom: (sender, session, done) => {
      void runForReply(session, () => checkMailFrom(db, sender, requireUser(session)), {
        sender: sender.address,
      }).then(done);
    },
    onRcptTo: (recipient, session, done) => {
      const context = { user: requireUser(session), taken: session.envelope.rcptTo.length };
      const checking = () =>
        slots.whileWorking(session, () => checkRecipient(db, recipient, context));
      void runForReply(session, checking, {
        recipient: recipient.address,
      }).then(done);
    },
    onData: (stream, session, done) => {
      const { envelope, remoteAddress: clientAddress } = session;
      const submission = { envelope, user: requireUser(session), clientAddress };
      let message: MessageFacts | null = null;
      const onPiece = (bytes: number) => slots.receive(session, bytes);
      void runOrReply(session, () =>
        collectMessage(
          stream,
          { memory, owner: memoryOwner(submission.user), onChunk: onPiece },
          (content) => {
            const received = new Message(content);
            message = { size: content.length, messageId: received.messageId };
            const submitting = () => acceptSubmission(received, submission, { db, hostname });
            return lifetimes.whileReplying(session, () => slots.whileWorking(session, submitting));
          },
        ),
      ).then((outcome) => {
        const isAccepted = "result" in outcome;
        const reply = isAccepted ? `250 2.0.0 Queued as ${outcome.result}` : outcome.refusal;
        for (const { address: recipient } of envelope.rcptTo)
          logReply(db, session, {
            kind: isAccepted ? "submitted" : "refused",
            reply,
            recipient,
            companyId: sessionCompanyId(submission.user),
            ...message,
          });
        if (!isAccepted) return done(outcome.refusal);
        log.info({ id: outcome.result, client: clientAddress }, "message queued");
        done(null, `2.0.0 Queued as ${outcome.result}`);
      });
    },
  });
  // A proxy has timeouts of its own.
  expectProxyHeaders(server, options.proxies ?? [], (socket) => lifetimes.limit(socket));
  // Mostly clients that disconnect.
  server.on("error", (error) => log.debug({ err: error }, "SMTP session error"));
  server.listen(port, bind);
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    useCertificate: (certificate) => server.updateSecureContext(tlsOptions(certificate)),
    stop() {
      slots.stop();
      return stopServer(server, (session) => lifetimes.isReplying(session));
    },
  };
}

/** smtp-server rejects commands before sign-in; this guards against a gap. */
function requireUser(session: SMTPServerSession): SessionUser {
  if (!session.user) throw new SmtpReply(530, "5.7.0", "Authentication over TLS required");
  return session.user as SessionUser;
}

/** Not the IP address: users of an office share one. */
const memoryOwner = (user: SessionUser) => (user.kind === "key" ? user.key.keyId : user.address);

const tooManySignIns = () =>
  new SmtpReply(421, "4.7.0", "Too many failed sign-ins, try again later");

/**
 * An SMTPServer that offers AUTH under TLS only (RFC 4954, 4), and does not add a second enhanced status
 * code to a reply that has one (RFC 2034).
 */
class SubmissionServer extends SMTPServer {
  override connect(...args: Parameters<SMTPServer["connect"]>): void {
    super.connect(...args);
    const connection = [...this.connections].at(-1)!;
    const send = connection.send.bind(connection);
    connection.send = (code, data, context) => {
      if (Array.isArray(data))
        send(code, connection.secure ? data : data.filter((line) => !isAuth(line)), context);
      else send(code, data, data && ENHANCED_CODE.test(data) ? false : context);
    };
  }
}

const isAuth = (line: string) => /^AUTH /.test(line);
const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;
