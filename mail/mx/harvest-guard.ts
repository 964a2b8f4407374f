import { SmtpReply } from "./smtp-reply.ts";

/** Per network, within ten minutes of the first. No legitimate recipient list is this outdated. */
const GUESSES_MAX = 50;
const WINDOW_MS = 10 * 60_000;
const NETWORKS_MAX = 10_000;

/** Blocks networks that try many unknown recipients (directory harvesting). Kept in memory only. */
export class HarvestGuard {
  readonly #now: () => number;
  readonly #counts = new Map<string, { count: number; since: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @throws SmtpReply for a network that has guessed too often in the last ten minutes */
  check(network: string): void {
    if (this.#recent(network).count >= GUESSES_MAX)
      throw new SmtpReply(421, "4.7.0", "Too many unknown recipients, try again later");
  }

  count(network: string): void {
    const { count, since } = this.#recent(network);
    this.#counts.delete(network);
    // The last one restarts the window.
    const isLast = count + 1 >= GUESSES_MAX;
    this.#counts.set(network, { count: count + 1, since: isLast ? this.#now() : since });
    if (this.#counts.size > NETWORKS_MAX) this.#counts.delete(this.#counts.keys().next().value!);
  }

  #recent(network: string): { count: number; since: number } {
    const now = this.#now();
    const known = this.#counts.get(network);
    return known && now - known.since < WINDOW_MS ? known : { count: 0, since: now };
  }
}
