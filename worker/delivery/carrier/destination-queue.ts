import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import {
  findMissingExtension,
  type Transaction,
  type MissingExtension,
} from "#worker/delivery/smtp/envelope.ts";
import type { Session } from "#worker/delivery/smtp/open-session.ts";
import type { Timeouts } from "#worker/delivery/smtp/timeouts.ts";
import { pipelinedEnvelope, type Verdict } from "#worker/delivery/smtp/transact.ts";

import type { ConnectionOwner, ConnectionSlots } from "./connection-slots.ts";
import { Transactions } from "./transactions.ts";

/** Servers close connections that carry too many messages; closing first avoids the error. */
const MESSAGES_PER_CONNECTION_MAX = 100;
/** After this many messages, a connection is closed if another destination waits for a slot. */
const MESSAGES_PER_TURN = 10;

export type Job = {
  transaction: Transaction;
  /** @param host the name of the server that replied */
  settle(verdicts: Verdict[] | Failure | MissingExtension, host?: string): void;
};

type Terms = {
  open: () => Promise<Session | Failure>;
  slots: ConnectionSlots;
  connectionsMax: number;
  timeouts: Timeouts;
  onDrained: () => void;
};

/** The messages waiting for one destination, and the connections that deliver them, in order of arrival. */
export class DestinationQueue implements ConnectionOwner {
  readonly #terms: Terms;
  #waiting: Job[] = [];
  /** Jobs whose connection closed before the server processed them: sent first on a new connection, once. */
  #retries: Job[] = [];
  readonly #idle = new Map<Session, () => void>();
  readonly #tasks = new Set<Promise<void>>();
  #open = 0;
  #opening = 0;
  /** Lowered to the number of open connections when the destination rejects another one. */
  #connectionsMax: number;
  #closed = false;
  /** Set once the queue is draining: the outcome of everything that isn't sent. */
  #unsent: Failure | null = null;
  readonly #transactions = new Transactions();

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#connectionsMax = terms.connectionsMax;
  }

  get connections(): number {
    return this.#open + this.#opening;
  }

  add(job: Job) {
    this.#waiting.push(job);
    this.dispatch();
  }

  /** Assigns waiting messages to idle connections, and opens more connections if allowed. */
  dispatch() {
    for (const [session, withdraw] of this.#idle) {
      const job = this.#takeNext(session, "now");
      if (!job) break;
      withdraw();
      this.#start(this.#carry(session, job));
    }
    while (this.#wantsConnection() && this.#terms.slots.take(this)) this.#start(this.#connect());
    if (!this.#wantsConnection()) this.#terms.slots.forget(this);
    if (this.connections === 0 && this.#waiting.length + this.#retries.length === 0)
      this.#terms.onDrained();
  }

  /**
   * Sends no further message and completes the rest with `unsent`. Resolves once every sent message has its
   * reply.
   */
  async drain(unsent: Failure): Promise<void> {
    this.#unsent = unsent;
    this.fail(unsent);
    await this.#transactions.stop();
  }

  /** Closes all connections. Call when no message is waiting. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const [session, withdraw] of this.#idle) {
      withdraw();
      this.#start(this.#end(session));
    }
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  #start(task: Promise<void>) {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }

  #wantsConnection(): boolean {
    const demand = this.#waiting.length + this.#retries.length;
    // Until a connection succeeds, only one attempt runs at a time. Then the number of attempts doubles, so
    // that a host that allows few connections isn't flooded.
    const mayTry = this.#opening < Math.max(this.#open, 1);
    return demand > this.#opening && mayTry && this.connections < this.#connectionsMax;
  }

  async #connect(): Promise<void> {
    this.#opening++;
    const opened = await this.#terms.open();
    this.#opening--;
    if ("result" in opened) {
      if (this.#open > 0) this.#connectionsMax = this.#open;
      else this.fail(opened);
      this.#terms.slots.release();
      this.dispatch();
      return;
    }
    this.#open++;
    const job = this.#retries.shift() ?? this.#takeNext(opened, "now");
    this.dispatch();
    if (job) return this.#carry(opened, job);
    return this.#rest(opened);
  }

  /**
   * Fails everything queued, or everything queued for one domain. Deliveries already on a connection
   * continue.
   */
  fail(
    failure: Failure,
    { host, domain }: { host?: string | undefined; domain?: string | undefined } = {},
  ) {
    const isFor = ({ transaction }: Job) =>
      domain === undefined || addressDomain(transaction.recipients[0]!) === domain;
    const jobs = [...this.#retries, ...this.#waiting].filter(isFor);
    this.#retries = this.#retries.filter((job) => !isFor(job));
    this.#waiting = this.#waiting.filter((job) => !isFor(job));
    for (const job of jobs) job.settle(failure, host);
  }

  async #carry(session: Session, first: Job): Promise<void> {
    let job: Job | null = first;
    let envelopeSent = false;
    while (job) {
      const isReused = session.messages > 0;
      const ahead: { job: Job | null } = { job: null };
      const followWith = (): string | null => {
        ahead.job = this.#takeNext(session, "ahead");
        return ahead.job && pipelinedEnvelope(session, ahead.job.transaction);
      };
      const terms = { timeouts: this.#terms.timeouts, envelopeSent, followWith };
      const done = await this.#transactions.run(session, job.transaction, terms);
      if (done.untouched && (isReused || this.#unsent)) this.#putBack(job);
      else job.settle(done.verdicts, session.wire.peer);
      envelopeSent = ahead.job !== null;
      job = ahead.job ?? this.#takeNext(session, "now");
      if (this.#mustStop(session)) {
        if (job) this.#putBack(job);
        break;
      }
    }
    return this.#rest(session);
  }

  /** Whether the connection must not be used anymore, not even for a message whose envelope was pipelined. */
  #mustStop(session: Session): boolean {
    // No QUIT, which the server might read as content of that message.
    if (this.#unsent) session.wire.destroy();
    return session.finished || this.#unsent !== null;
  }

  #putBack(job: Job) {
    if (this.#unsent) job.settle(this.#unsent);
    else this.#retries.push(job);
  }

  /** The next message for this connection, to send `now` or to pipeline its envelope `ahead`. */
  #takeNext(session: Session, when: "now" | "ahead"): Job | null {
    const carried = session.messages + (when === "ahead" ? 1 : 0);
    if (this.#mustEnd(session, carried)) return null;
    for (;;) {
      const job = this.#waiting[0];
      if (!job) return null;
      const missing = findMissingExtension(session, job.transaction);
      if (missing && when === "ahead") return null;
      this.#waiting.shift();
      if (!missing) return job;
      job.settle(missing);
    }
  }

  #mustEnd(session: Session, carried: number): boolean {
    if (session.finished || this.#unsent) return true;
    if (carried >= MESSAGES_PER_CONNECTION_MAX) return true;
    const isCrowded = this.connections >= this.#connectionsMax;
    if (this.#retries.length > this.#opening && isCrowded) return true;
    return carried >= MESSAGES_PER_TURN && this.#terms.slots.shouldYield(this);
  }

  async #rest(session: Session): Promise<void> {
    const { messages, wire } = session;
    if (messages >= MESSAGES_PER_CONNECTION_MAX)
      this.#connectionsMax = Math.min(this.#connectionsMax + 1, this.#terms.connectionsMax);
    if (this.#closed || !wire.isReady || this.#mustEnd(session, messages))
      return this.#end(session);
    this.#keepIdle(session);
    this.dispatch();
  }

  #keepIdle(session: Session) {
    const { slots, timeouts } = this.#terms;
    const withdraw = () => {
      clearTimeout(timer);
      session.wire.onUnexpected(() => undefined);
      slots.withdrawIdle(session);
      this.#idle.delete(session);
    };
    const end = () => {
      withdraw();
      this.#start(this.#end(session));
    };
    const timer = setTimeout(end, timeouts.idleMs);
    session.wire.onUnexpected(end);
    this.#idle.set(session, withdraw);
    slots.offerIdle(session, end);
  }

  async #end(session: Session): Promise<void> {
    await session.wire.quit();
    this.#open--;
    if (this.#open === 0) this.#connectionsMax = this.#terms.connectionsMax;
    this.#terms.slots.release();
    this.dispatch();
  }
}
