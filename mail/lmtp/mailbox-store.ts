import {
  classifyOpeningError,
  readVerdicts,
} from "#server/core/sending/server-replies/classify-reply.ts";
import { type HostLink, linkClientOptions } from "#server/gateways/host-link.ts";
import {
  incompatible,
  type MissingExtension,
  splitIntoTransactions,
  type Transaction,
} from "#mail/smtp/envelope.ts";
import {
  delayed,
  type Failure,
  type Outcome,
  sameOutcomes,
  sortByRecipients,
  STOPPING,
  toOutcomes,
} from "#mail/smtp/outcome.ts";
import {
  openSession,
  type Peer,
  type Session,
  TIMEOUTS,
  type Timeouts,
} from "#mail/smtp/session.ts";
import { type Job, SessionQueue } from "#mail/smtp/session-queue.ts";
import { SessionSlots } from "#mail/smtp/session-slots.ts";

/** Where Dovecot accepts mail: on this machine, or on another mail host. */
export type StoreAddress = { path: string } | HostLink;

/** A message for mailboxes of one mail host. */
export type StoreDelivery = {
  at: StoreAddress;
  /** Companies take turns on the connections. */
  companyId?: string;
  isBatch?: boolean | undefined;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom: string;
  recipients: string[];
  message: Buffer;
  /** Called when the message's turn comes, and again right before its content is sent. */
  mayBegin?: () => boolean;
};

export type StoreOptions = {
  /** The name for LHLO. */
  hostname: string;
  timeouts?: Partial<Timeouts>;
  /** Per mail host. */
  connectionsMax?: number;
  /** Limits connections together with other destinations. */
  slots?: SessionSlots;
};

/** Dovecot's LMTP services. `lmtp-existing` creates no folders (`services-conf.ts`). */
type Service = "lmtp" | "lmtp-existing";

/** Dovecot's reply to several errors, such as a folder that it couldn't create. */
const NOT_FILED = /^451 4\.2\.0 .*Internal error occurred/;

/** Hands mail to Dovecot over LMTP (RFC 2033). Reuses connections, and limits their number. */
export class MailboxStore {
  readonly #hostname: string;
  readonly #timeouts: Timeouts;
  readonly #connectionsMax: number;
  readonly #slots: SessionSlots;
  readonly #queues = new Map<string, SessionQueue>();
  readonly #running = new Set<Promise<Outcome[]>>();
  #isDraining = false;
  #isClosed = false;

  constructor({
    hostname,
    timeouts,
    connectionsMax = 20,
    slots = new SessionSlots(300),
  }: StoreOptions) {
    this.#hostname = hostname;
    this.#timeouts = { ...TIMEOUTS, ...timeouts };
    this.#connectionsMax = connectionsMax;
    this.#slots = slots;
  }

  /** Errors of Dovecot or the network are outcomes, not exceptions. */
  async deliver(delivery: StoreDelivery): Promise<Outcome[]> {
    if (this.#isClosed) throw new Error("The mailbox store is closed");
    const delivering = this.#deliver(delivery);
    this.#running.add(delivering);
    return delivering.finally(() => this.#running.delete(delivering));
  }

  /** Sends no further message. Resolves once every sent message has its reply. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.drain(STOPPING)));
  }

  /** Closes idle connections once running deliveries finish. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  /**
   * Delivers mail that Dovecot couldn't file again, to the service that creates no folders: Pigeonhole then files it into the inbox.
   * Otherwise mail for a folder whose name is too long would be deferred until it expires.
   */
  async #deliver(delivery: StoreDelivery): Promise<Outcome[]> {
    const outcomes = await this.#send(delivery, "lmtp");
    const wasNotFiled = ({ result, message }: Outcome) =>
      result === "delayed" && NOT_FILED.test(message);
    const recipients = outcomes.filter(wasNotFiled).map(({ recipient }) => recipient);
    if (recipients.length === 0) return outcomes;
    const filed = await this.#send({ ...delivery, recipients }, "lmtp-existing");
    const delivered = new Map(
      filed.filter(({ result }) => result === "delivered").map((one) => [one.recipient, one]),
    );
    return outcomes.map((outcome) => delivered.get(outcome.recipient) ?? outcome);
  }

  async #send(delivery: StoreDelivery, service: Service): Promise<Outcome[]> {
    const { envelopeFrom: from, recipients, message } = delivery;
    const { transactions, refused } = splitIntoTransactions({ from, recipients, message });
    const outcomes = await Promise.all(
      transactions.map(async (transaction) => {
        const sent = await this.#sendTransaction(transaction, delivery, service);
        return "lacks" in sent ? sameOutcomes(transaction.recipients, incompatible(sent)) : sent;
      }),
    );
    return sortByRecipients(recipients, [...refused, ...outcomes.flat()]);
  }

  #sendTransaction(
    transaction: Transaction,
    { at, companyId = "", isBatch = false, mayBegin = () => true }: StoreDelivery,
    service: Service,
  ): Promise<Outcome[] | MissingExtension> {
    const { recipients } = transaction;
    if (this.#isDraining) return Promise.resolve(sameOutcomes(recipients, STOPPING));
    return new Promise((resolve) => {
      const job: Job = {
        companyId,
        isBatch,
        transaction,
        mayBegin,
        settle: (verdicts, session) =>
          resolve(toOutcomes(transaction, readVerdicts(verdicts, { isStore: true }), session)),
        giveUp: (why) => resolve("lacks" in why ? why : sameOutcomes(recipients, why)),
      };
      this.#queueFor(storePeer(at, service)).add(job);
    });
  }

  #queueFor(peer: Peer & { key: string }): SessionQueue {
    const { key } = peer;
    const existing = this.#queues.get(key);
    if (existing) return existing;
    const queue: SessionQueue = new SessionQueue({
      open: () => this.#open(peer),
      gate: { slots: this.#slots, opening: 0, room: () => Infinity, pass: () => true },
      asksToSlowDown: () => false,
      onRejected: () => false,
      postpone: () => null,
      connectionsMax: this.#connectionsMax,
      timeouts: this.#timeouts,
      onDrained: () => {
        if (this.#queues.get(key) === queue) this.#queues.delete(key);
      },
    });
    this.#queues.set(key, queue);
    return queue;
  }

  async #open(peer: Peer): Promise<Session | Failure> {
    try {
      return await openSession(peer, { hostname: this.#hostname, timeouts: this.#timeouts });
    } catch (error) {
      // The fault of this installation, so it never bounces mail.
      return delayed(classifyOpeningError(error));
    }
  }
}

function storePeer(at: StoreAddress, service: Service): Peer & { key: string } {
  const common = { lmtp: true, policy: null, auth: null };
  if ("path" in at) {
    const path = at.path.replace(/lmtp$/, service);
    return { ...common, key: path, name: "the mailbox store", target: { path }, tls: "none" };
  }
  const { host, port } = at;
  return {
    ...common,
    key: `${service} ${host}:${port}`,
    name: `the mailbox store on ${host}`,
    target: { host, port },
    tls: "implicit",
    tlsOptions: linkClientOptions(at, service),
  };
}
