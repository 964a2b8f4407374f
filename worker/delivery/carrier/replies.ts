import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import type { Gate } from "#worker/delivery/shaping/gate.ts";
import type { Shaper } from "#worker/delivery/shaping/shaper.ts";
import type { Verdict } from "#worker/delivery/smtp/transact.ts";

import { classifyReply } from "./classify-reply.ts";
import type { Job } from "./destination-queue.ts";
import type { Destination } from "./find-destination.ts";

type Place = { destination: Destination; gate: Gate };
type Objection = { failure: Failure; host?: string | undefined; job: Job };
type Settled = { job: Job; answer: Verdict[] | Failure; host: string | undefined };

/** Tells the shaper what destinations reply. */
export class Replies {
  readonly #shaper: Shaper;

  constructor(shaper: Shaper) {
    this.#shaper = shaper;
  }

  /** Applies a reply that asks to slow down. Returns false for any other reply. */
  listen(place: Place, objection: Objection): boolean {
    return this.#object(place, objection) !== false;
  }

  /** The outcome for each recipient of a message, or why it was not sent. */
  settle(place: Place, { job, answer, host }: Settled): Failure[] | Failure {
    const { gate } = place;
    if (!Array.isArray(answer)) {
      gate.leave(job, "none");
      return answer;
    }
    const failures = answer.map(readVerdict);
    const failure = failures.find(({ throttle }) => throttle);
    // First, so that the next message already meets the new limits.
    const retryAt = failure ? this.#object(place, { failure, host, job }) : false;
    const isLost = answer[0]?.stage === "lost";
    const isAccepted = failures.some(({ result }) => result === "delivered");
    gate.leave(job, isAccepted ? "accepted" : isLost ? "none" : "rejected");
    if (typeof retryAt !== "number") return failures;
    return failures.map((one) => (one.throttle ? { ...one, retryAt } : one));
  }

  /** When to try again, null for the usual schedule, or false if the reply asks for nothing. */
  #object({ destination, gate }: Place, { failure, host, job }: Objection): number | null | false {
    const { gateKey, operator } = destination;
    // A smarthost may relay the reply of one destination; mail to others continues.
    if (!failure.throttle || gateKey === null) return false;
    // Hosts with many customers apply each customer's own rules, so a later rejection concerns that domain
    // only.
    const isDomainOnly = failure.isAfterRecipient === true && (failure.isBlock ?? !operator);
    const domain = addressDomain(job.transaction.recipients[0]!).toLowerCase();
    return this.#shaper.object(gate, { failure, host, domain, isDomainOnly });
  }
}

function readVerdict(verdict: Verdict): Failure {
  if (verdict.stage === "lost") {
    const { error, contentSent } = verdict;
    const note = contentSent ? " after the whole message was sent; it may arrive twice" : "";
    return { result: "delayed", dsn: error.dsn, message: error.message + note, suppress: false };
  }
  const isDsnRelayed = verdict.stage === "content" && verdict.isDsnRelayed === true;
  return { ...classifyReply(verdict.reply, verdict.stage), ...(isDsnRelayed && { isDsnRelayed }) };
}
