import type { Failure } from "#mail/smtp/outcome.ts";
import type { Gate } from "#worker/delivery/shaping/gate.ts";
import type { Shaper } from "#worker/delivery/shaping/shaper.ts";
import { recipientDomain } from "#mail/smtp/envelope.ts";
import type { Session } from "#mail/smtp/session.ts";
import type { RecipientVerdict } from "#mail/smtp/transact.ts";

import { readVerdicts } from "#server/core/sending/server-replies/classify-reply.ts";
import type { Job } from "#mail/smtp/session-queue.ts";
import type { Destination } from "./destinations.ts";

type Place = { destination: Destination; gate: Gate };
type Rejection = { failure: Failure; host?: string | undefined; job: Job };
type Settled = {
  job: Job;
  verdicts: RecipientVerdict[];
  session: Session;
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

  /** What the replies to a message mean, for each recipient. */
  read(place: Place, { job, verdicts, session }: Settled): Failure[] {
    const { gate, destination } = place;
    const failures = readVerdicts(verdicts, {
      ehloName: destination.source?.name ?? this.#hostname,
      address: session.wire.localAddress,
    });
    const failure = failures.find(({ throttle }) => throttle);
    // First, so that the next message already meets the new limits.
    const retryAt = failure
      ? this.#throttle(place, { failure, host: session.wire.peer, job })
      : false;
    const isLost = verdicts[0]?.stage === "lost";
    const isAccepted = failures.some(({ result }) => result === "delivered");
    gate.leave(job, isAccepted ? "accepted" : isLost ? "none" : "rejected");
    if (typeof retryAt !== "number") return failures;
    return failures.map((one) => (one.throttle ? { ...one, retryAt } : one));
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
