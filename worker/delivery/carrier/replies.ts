import type { Failure } from "#worker/delivery/delivery.ts";
import type { Gate } from "#worker/delivery/shaping/gate.ts";
import type { Shaper } from "#worker/delivery/shaping/shaper.ts";
import { recipientDomain } from "#worker/delivery/smtp/envelope.ts";
import type { Session } from "#worker/delivery/smtp/open-session.ts";
import type { Verdict } from "#worker/delivery/smtp/transact.ts";

import { type Circumstances, classifyReply } from "./classify-reply.ts";
import type { Job } from "./destination-queue.ts";
import type { Destination } from "./find-destination.ts";
import { indicatesHostTrouble } from "./try-other-host.ts";

type Place = { destination: Destination; gate: Gate };
type Rejection = { failure: Failure; host?: string | undefined; job: Job };
type Settled = {
  job: Job;
  answer: Verdict[] | Failure;
  session: Session | undefined;
};

/** Reads the replies of destinations, and tells the shaper about those that ask to slow down. */
export class Replies {
  readonly #shaper: Shaper;
  /** The message whose reply is being applied: its outcome is that reply. */
  #rejected: Rejection | null = null;
  readonly #hostname: string;

  /** @param hostname the name in EHLO to a smarthost */
  constructor(shaper: Shaper, hostname: string) {
    this.#shaper = shaper;
    this.#hostname = hostname;
  }

  /** Applies a reply that asks to slow down. Returns false for any other reply. */
  throttle(place: Place, rejection: Rejection): boolean {
    return this.#throttle(place, rejection) !== false;
  }

  /** The outcome for each recipient of a message, or why it was not sent. */
  settle(place: Place, { job, answer, session }: Settled): Failure[] | Failure {
    const { gate, destination } = place;
    if (!Array.isArray(answer)) {
      gate.leave(job, "none");
      return answer;
    }
    const failures = readVerdicts(answer, this.#circumstances(destination, session));
    const failure = failures.find(({ throttle }) => throttle);
    // First, so that the next message already meets the new limits.
    const retryAt = failure
      ? this.#throttle(place, { failure, host: session?.wire.peer, job })
      : false;
    const isLost = answer[0]?.stage === "lost";
    const isAccepted = failures.some(({ result }) => result === "delivered");
    gate.leave(job, isAccepted ? "accepted" : isLost ? "none" : "rejected");
    if (typeof retryAt !== "number") return failures;
    return failures.map((one) => (one.throttle ? { ...one, retryAt } : one));
  }

  #circumstances({ source }: Destination, session: Session | undefined): Circumstances {
    return {
      ehloName: source?.name ?? this.#hostname,
      address: session?.wire.localAddress,
      isStore: session?.lmtp,
    };
  }

  /**
   * The outcome for a message that waits because its destination is suspended.
   *
   * @param place the suspended domain, and the source's suffix; if omitted, the gate is suspended
   */
  waitFor(job: Job, gate: Gate, place?: string): Failure {
    const domain = recipientDomain(job.transaction);
    const wait = (place && this.#shaper.postpone(place)) || this.#shaper.postponeAt(gate, domain);
    const { retryAt } = wait;
    const isOwnReply = this.#rejected?.job === job && retryAt !== undefined;
    return isOwnReply ? { ...this.#rejected!.failure, retryAt } : wait;
  }

  /** When to retry; null for the usual schedule; false if the reply doesn't ask to slow down. */
  #throttle(
    { destination, gate }: Place,
    { failure, host, job }: Rejection,
  ): number | null | false {
    const { gateKey, provider } = destination;
    // A smarthost may relay the reply of one destination; mail to others continues.
    if (!failure.throttle || gateKey === null) return false;
    // Hosts with many customers apply each customer's own rules after RCPT, so such a rejection concerns that
    // domain only.
    const isDomainOnly = failure.isAfterRecipient === true && (failure.isBlock ?? !provider);
    const suffix = destination.source?.suffix ?? "";
    const domain = recipientDomain(job.transaction) + suffix;
    this.#rejected = { failure, job };
    const retryAt = this.#shaper.throttle(gate, { failure, host, domain, isDomainOnly });
    this.#rejected = null;
    return retryAt;
  }
}

function readVerdicts(verdicts: Verdict[], known: Circumstances): Failure[] {
  const accepted = verdicts.filter(isRecipientAccepted).length;
  const circumstances = { ...known, isOtherAccepted: accepted > 0, isShared: accepted > 1 };
  return verdicts.map((verdict) => readVerdict(verdict, circumstances));
}

const isRecipientAccepted = (verdict: Verdict): boolean =>
  verdict.stage === "lost"
    ? verdict.contentSent
    : verdict.stage === "data" || verdict.stage === "content";

function readVerdict(verdict: Verdict, circumstances: Circumstances): Failure {
  if (verdict.stage === "lost") {
    const { error, contentSent } = verdict;
    const note = contentSent ? " after the whole message was sent; it may arrive twice" : "";
    return {
      ...{ result: "delayed", dsn: error.dsn, message: error.message + note, suppress: false },
      ...(!contentSent && { isHostTrouble: true }),
    };
  }
  const isDsnRelayed = verdict.stage === "content" && verdict.isDsnRelayed === true;
  const failure = classifyReply(verdict.reply, verdict.stage, circumstances);
  return {
    ...failure,
    ...(indicatesHostTrouble(failure) && { isHostTrouble: true }),
    ...(isDsnRelayed && { isDsnRelayed }),
  };
}
