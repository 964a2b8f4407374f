import type { Failure } from "./outcome.ts";

import {
  findMissingExtension,
  type MissingExtension,
  recipientDomain,
  type Transaction,
} from "./envelope.ts";
import type { Reply } from "./reply.ts";
import type { Session, Timeouts } from "./session.ts";
import {
  pipelinedEnvelope,
  type RecipientVerdict,
  transact,
  type TransactionResult,
} from "./transact.ts";
import { CompanyTurns } from "./company-turns.ts";
import type { SlotOwner, SessionSlots } from "./session-slots.ts";

/** Servers close connections that carry too many messages; closing first avoids the error. */
const MESSAGES_PER_CONNECTION_MAX = 100;
/** After this many messages, a connection is closed if another destination waits for a slot. */
const MESSAGES_PER_TURN = 10;
/** Connections to a destination that has not answered a message for a while. */
const SILENT_CONNECTIONS_MAX = 2;
const SILENT_AFTER_MS = 30_000;

export type Job = {
  companyId: string;
  isBatch: boolean;
  transaction: Transaction;
  mayBegin: () => boolean;
  /** Called with the server's replies. */
  settle(verdicts: RecipientVerdict[], session: Session): void;
  /** Called if the message is not sent. */
  giveUp(why: Failure | MissingExtension): void;
};

/** The limits of a destination: when messages may be sent. */
type Gate = {
  readonly slots: SessionSlots;
  /** Connections that have a slot but aren't open yet. */
  opening: number;
  /** How many messages may be sent now. If none, calls the owner's `dispatch` once one may. */
  room(owner: SlotOwner): number;
  /** Whether this message may be sent now. If not, calls the owner's `dispatch` once one may. */
  pass(owner: SlotOwner, job: object): boolean;
};

type Options = {
  open: (first: Job) => Promise<Session | Failure>;
  gate: Gate;
  /** Whether a reply to MAIL asks to slow down. A new connection would get the same reply. */
  asksToSlowDown: (reply: Reply) => boolean;
  /** Called when no connection could be opened. Returns true to keep the messages queued. */
  onRejected: (failure: Failure, first: Job) => boolean;
  /** The outcome for a message that can't be retried now; null if it can. */
  postpone: (job: Job) => Failure | null;
  connectionsMax: number;
  timeouts: Timeouts;
  onDrained: () => void;
};

const REVOKED: Failure = {
  result: "delayed",
  dsn: "4.3.2",
  message: "This worker may no longer send the message",
  suppress: false,
  notAttempted: "revoked",
};

/** The messages waiting for one destination, companies in turn, and the connections that deliver them. */
export class SessionQueue implements SlotOwner {
  readonly #options: Options;
  readonly #waiting = new CompanyTurns<Job>();
  /** Jobs whose connection closed before the server processed them: sent first on a new connection, once. */
  #retries: Job[] = [];
  readonly #idle: IdleSessions;
  readonly #tasks = new Set<Promise<void>>();
  #open = 0;
  #opening = 0;
  /** Lowered to the number of open connections when the destination rejects another one. */
  #connectionsMax: number;
  #answeredAt = -Infinity;
  #closed = false;
  /** Set once the queue is draining: the outcome of everything that isn't sent. */
  #unsent: Failure | null = null;
  readonly #transactions: Transactions;

  constructor(options: Options) {
    this.#options = options;
    this.#transactions = new Transactions(options.asksToSlowDown);
    this.#connectionsMax = options.connectionsMax;
    this.#idle = new IdleSessions({
      slots: options.gate.slots,
      idleMs: options.timeouts.idleMs,
      onEnd: (session) => this.#start(this.#end(session)),
    });
  }

  get connections(): number {
    return this.#open + this.#opening;
  }

  get isAnswering(): boolean {
    return performance.now() - this.#answeredAt < SILENT_AFTER_MS;
  }

  add(job: Job) {
    this.#waiting.push(job.companyId, job, { isUrgent: !job.isBatch });
    this.dispatch();
  }

  /** Assigns waiting messages to idle connections, and opens more connections if allowed. */
  dispatch() {
    for (const session of this.#idle.sessions) {
      const job = this.#takeNext(session, "now");
      if (!job) break;
      this.#idle.withdraw(session);
      this.#start(this.#carry(session, job));
    }
    const { slots } = this.#options.gate;
    while (this.#wantsConnection() && slots.take(this)) this.#start(this.#connect());
    if (!this.#wantsConnection()) slots.forget(this);
    if (this.connections === 0 && this.#waiting.length + this.#retries.length === 0)
      this.#options.onDrained();
  }

  /** Completes what is queued with `unsent`. Resolves once every sent message has its reply. */
  async drain(unsent: Failure): Promise<void> {
    this.#unsent = unsent;
    this.fail(() => unsent);
    await this.#transactions.stop();
  }

  /** Closes all connections. Call when no message is waiting. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const session of this.#idle.sessions) {
      this.#idle.withdraw(session);
      this.#start(this.#end(session));
    }
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  #start(task: Promise<void>) {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }

  #wantsConnection(): boolean {
    const max = this.isAnswering ? Infinity : SILENT_CONNECTIONS_MAX;
    if (this.connections >= Math.min(this.#connectionsMax, max)) return false;
    const waiting = this.#waiting.length;
    const ready = waiting > 0 ? Math.min(waiting, this.#options.gate.room(this)) : 0;
    // Until a connection succeeds, only one attempt runs at a time. Then the number of attempts doubles, so
    // that a host that allows few connections isn't flooded.
    const mayTry = this.#opening < Math.max(this.#open, 1);
    return mayTry && this.#retries.length + ready > this.#opening;
  }

  async #connect(): Promise<void> {
    const { gate, open, onRejected } = this.#options;
    this.#opening++;
    gate.opening++;
    const opened = await open((this.#retries[0] ?? this.#waiting.peek())!);
    this.#opening--;
    gate.opening--;
    if ("result" in opened) {
      const first = this.#retries[0] ?? this.#waiting.peek();
      const mayWait = first !== undefined && onRejected(opened, first);
      if (this.#open > 0) this.#connectionsMax = this.#open;
      else if (!mayWait) this.fail(() => opened);
      gate.slots.release(this);
      this.dispatch();
      return;
    }
    this.#open++;
    const job = this.#retries.shift() ?? this.#takeNext(opened, "now");
    this.dispatch();
    if (job) return this.#carry(opened, job);
    return this.#rest(opened);
  }

  /** Fails everything queued, or queued for one domain. Deliveries already on a connection continue. */
  fail(reason: (job: Job) => Failure, domain?: string) {
    const isFor = ({ transaction }: Job) =>
      domain === undefined || recipientDomain(transaction) === domain;
    const jobs = [...this.#retries.filter(isFor), ...this.#waiting.remove(isFor)];
    this.#retries = this.#retries.filter((job) => !isFor(job));
    for (const job of jobs) job.giveUp(reason(job));
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
      const { mayBegin } = job;
      const options = { timeouts: this.#options.timeouts, envelopeSent, followWith, mayBegin };
      const done = await this.#transactions.run(session, job.transaction, options);
      if (done.isRevoked) {
        // The server waits for content, and would read QUIT as such.
        session.wire.destroy();
        job.giveUp(REVOKED);
      } else if (done.untouched && (isReused || this.#unsent)) this.#putBack(job);
      else this.#settle(job, done.verdicts, session);
      envelopeSent = ahead.job !== null;
      job = ahead.job ?? this.#takeNext(session, "now");
      if (this.#mustStop(session)) {
        if (job) this.#putBack(job);
        break;
      }
    }
    return this.#rest(session);
  }

  #settle(job: Job, verdicts: RecipientVerdict[], session: Session) {
    const wasAnswering = this.isAnswering;
    if (verdicts[0]?.stage !== "lost") this.#answeredAt = performance.now();
    job.settle(verdicts, session);
    if (!wasAnswering) this.dispatch();
  }

  /** Whether the connection must not be used anymore, not even for a message whose envelope was pipelined. */
  #mustStop(session: Session): boolean {
    // No QUIT, which the server might read as content of that message.
    if (this.#unsent) session.wire.destroy();
    return session.finished || this.#unsent !== null;
  }

  #putBack(job: Job) {
    const obstacle = this.#unsent ?? this.#options.postpone(job);
    if (obstacle) job.giveUp(obstacle);
    else this.#retries.push(job);
  }

  /** The next message for this connection, to send `now` or to pipeline its envelope `ahead`. */
  #takeNext(session: Session, when: "now" | "ahead"): Job | null {
    const carried = session.messages + (when === "ahead" ? 1 : 0);
    if (this.#mustEnd(session, carried)) return null;
    for (let job = this.#waiting.peek(); job; job = this.#waiting.peek()) {
      if (!job.mayBegin()) {
        this.#waiting.shift();
        job.giveUp(REVOKED);
        continue;
      }
      const missing = findMissingExtension(session, job.transaction);
      if (missing && when === "ahead") return null;
      if (!missing && !this.#options.gate.pass(this, job)) return null;
      this.#waiting.shift();
      if (!missing) return job;
      job.giveUp(missing);
    }
    return null;
  }

  #mustEnd(session: Session, carried: number): boolean {
    if (session.finished || this.#unsent || carried >= MESSAGES_PER_CONNECTION_MAX) return true;
    const mayOpen = this.connections < this.#connectionsMax;
    if (this.#retries.length > this.#opening && !mayOpen) return true;
    return carried >= MESSAGES_PER_TURN && this.#options.gate.slots.shouldYield(this);
  }

  async #rest(session: Session): Promise<void> {
    const { messages, wire } = session;
    if (messages >= MESSAGES_PER_CONNECTION_MAX)
      this.#connectionsMax = Math.min(this.#connectionsMax + 1, this.#options.connectionsMax);
    if (this.#closed || !wire.isReady || this.#mustEnd(session, messages))
      return this.#end(session);
    this.#idle.keep(session);
    this.dispatch();
  }

  async #end(session: Session): Promise<void> {
    await session.wire.quit();
    this.#open--;
    if (this.#open === 0) this.#connectionsMax = this.#options.connectionsMax;
    this.#options.gate.slots.release(this);
    this.dispatch();
  }
}

type RunOptions = {
  timeouts: Timeouts;
  envelopeSent: boolean;
  followWith: () => string | null;
  mayBegin: () => boolean;
};

/** `isRevoked`: `mayBegin` returned false, so that the content was not sent. */
type Result = TransactionResult & { isRevoked: boolean };

/** The running transactions with one destination. After `stop`, none of them sends a message. */
class Transactions {
  readonly #asksToSlowDown: Options["asksToSlowDown"];
  #isStopped = false;
  /** Sessions in a transaction whose content has not been sent. */
  readonly #preparing = new Set<Session>();
  /** Transactions whose content has been sent. */
  readonly #unanswered = new Set<Promise<TransactionResult>>();

  constructor(asksToSlowDown: Options["asksToSlowDown"]) {
    this.#asksToSlowDown = asksToSlowDown;
  }

  /** Runs a transaction. One that `stop` aborted before its content is reported as untouched. */
  async run(
    session: Session,
    transaction: Transaction,
    { mayBegin, ...options }: RunOptions,
  ): Promise<Result> {
    const progress = { hasBegun: false, isRevoked: false };
    const beginContent = () => {
      if (this.#isStopped) return false;
      progress.isRevoked = !mayBegin();
      if (progress.isRevoked) return false;
      progress.hasBegun = true;
      this.#preparing.delete(session);
      this.#unanswered.add(running);
      return true;
    };
    this.#preparing.add(session);
    const running = transact(session, transaction, { ...options, beginContent });
    const done = await running;
    this.#preparing.delete(session);
    this.#unanswered.delete(running);
    const { isRevoked, hasBegun } = progress;
    if (done.untouched && this.#isSlowedDown(done)) return { ...done, isRevoked, untouched: false };
    const isCut = this.#isStopped && done.verdicts.some(({ stage }) => stage === "lost");
    return { ...done, isRevoked, untouched: done.untouched || (isCut && !hasBegun) };
  }

  /** Aborts the transactions before their content. Resolves once every sent message has its reply. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const session of this.#preparing) session.wire.destroy();
    await Promise.allSettled(this.#unanswered);
  }

  #isSlowedDown({ verdicts }: TransactionResult): boolean {
    return verdicts.some(
      (verdict) => verdict.stage === "mail" && this.#asksToSlowDown(verdict.reply),
    );
  }
}

type IdleOptions = {
  slots: SessionSlots;
  idleMs: number;
  /** Called with a session that must be closed. */
  onEnd: (session: Session) => void;
};

/** Connections without a message: they end after a while, when the server closes them, or if a slot is needed. */
class IdleSessions {
  readonly #options: IdleOptions;
  readonly #withdrawals = new Map<Session, () => void>();

  constructor(options: IdleOptions) {
    this.#options = options;
  }

  /** Those idle now, the longest idle first. */
  get sessions(): Iterable<Session> {
    return this.#withdrawals.keys();
  }

  keep(session: Session): void {
    const { slots, idleMs, onEnd } = this.#options;
    const withdraw = () => {
      clearTimeout(timer);
      session.wire.onUnexpected(() => undefined);
      slots.withdrawIdle(session);
      this.#withdrawals.delete(session);
    };
    const end = () => {
      withdraw();
      onEnd(session);
    };
    const timer = setTimeout(end, idleMs);
    session.wire.onUnexpected(end);
    this.#withdrawals.set(session, withdraw);
    slots.offerIdle(session, end);
  }

  /** Takes a session back into use. */
  withdraw(session: Session): void {
    this.#withdrawals.get(session)?.();
  }
}
