import { SmtpReply } from "./smtp-reply.ts";

/** Of one network, within ten minutes of the first: no list of customers is so out of date. */
const GUESSES_MAX = 50;
const WINDOW_MS = 10 * 60_000;
const NETWORKS_MAX = 10_000;

/**
 * Remembers who asks for addresses that nobody has. It forgets when the process ends, which costs a
 * harvester's victim some minutes and nothing else.
 */
export class GuessWatch {
  readonly #now: () => number;
  readonly #guesses = new Map<string, { count: number; since: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @throws SmtpReply for a network that has guessed too often in the last ten minutes */
  check(network: string): void {
    if (this.#recent(network).count >= GUESSES_MAX)
      throw new SmtpReply(421, "4.7.0", "Too many recipients that are not here, try again later");
  }

  count(network: string): void {
    const { count, since } = this.#recent(network);
    this.#guesses.delete(network);
    // The last one starts the wait anew.
    const isLast = count + 1 >= GUESSES_MAX;
    this.#guesses.set(network, { count: count + 1, since: isLast ? this.#now() : since });
    if (this.#guesses.size > NETWORKS_MAX) this.#guesses.delete(this.#guesses.keys().next().value!);
  }

  #recent(network: string): { count: number; since: number } {
    const now = this.#now();
    const known = this.#guesses.get(network);
    return known && now - known.since < WINDOW_MS ? known : { count: 0, since: now };
  }
}
