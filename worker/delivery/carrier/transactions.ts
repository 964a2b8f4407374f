import type { Transaction } from "#worker/delivery/smtp/envelope.ts";
import type { Session } from "#worker/delivery/smtp/open-session.ts";
import type { Timeouts } from "#worker/delivery/smtp/timeouts.ts";
import { transact, type TransactionResult } from "#worker/delivery/smtp/transact.ts";

import { classifyReply } from "./classify-reply.ts";

type Options = { timeouts: Timeouts; envelopeSent: boolean; followWith: () => string | null };

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
    options: Options,
  ): Promise<TransactionResult> {
    const progress = { hasBegun: false };
    const beginContent = () => {
      if (this.#isStopped) return false;
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
    if (done.untouched && asksToSlowDown(done)) return { ...done, untouched: false };
    const isCut = this.#isStopped && done.verdicts.some(({ stage }) => stage === "lost");
    return isCut && !progress.hasBegun ? { ...done, untouched: true } : done;
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
