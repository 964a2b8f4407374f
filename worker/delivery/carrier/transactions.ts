import type { Transaction } from "#worker/delivery/smtp/envelope.ts";
import type { Session } from "#worker/delivery/smtp/open-session.ts";
import type { Timeouts } from "#worker/delivery/smtp/timeouts.ts";
import { transact, type TransactionResult } from "#worker/delivery/smtp/transact.ts";

import { classifyReply } from "./classify-reply.ts";

type Options = {
  timeouts: Timeouts;
  envelopeSent: boolean;
  followWith: () => string | null;
  mayBegin: () => boolean;
};

/** `isRevoked`: `mayBegin` returned false, so that the content was not sent. */
type Result = TransactionResult & { isRevoked: boolean };

/** The running transactions with one destination. After `stop`, none of them sends a message. */
export class Transactions {
  #isStopped = false;
  /** Sessions in a transaction whose content has not been sent. */
  readonly #preparing = new Set<Session>();
  /** Transactions whose content has been sent. */
  readonly #unanswered = new Set<Promise<TransactionResult>>();

  /** Runs a transaction. One that `stop` aborted before its content is reported as untouched. */
  async run(
    session: Session,
    transaction: Transaction,
    { mayBegin, ...options }: Options,
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
    if (done.untouched && asksToSlowDown(done)) return { ...done, isRevoked, untouched: false };
    const isCut = this.#isStopped && done.verdicts.some(({ stage }) => stage === "lost");
    return { ...done, isRevoked, untouched: done.untouched || (isCut && !hasBegun) };
  }

  /** Aborts the transactions before their content. Resolves once every sent message has its reply. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const session of this.#preparing) session.wire.destroy();
    await Promise.allSettled(this.#unanswered);
  }
}

/** A new connection would get the same reply. */
const asksToSlowDown = ({ verdicts }: TransactionResult): boolean =>
  verdicts.some(
    (verdict) => verdict.stage === "mail" && classifyReply(verdict.reply, "mail").throttle,
  );
