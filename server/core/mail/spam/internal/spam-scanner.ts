import { type Scan, type Scanned, scanMessage } from "#server/gateways/rspamd.ts";
import { RspamdError } from "#server/gateways/rspamd-connection.ts";

/** Failures in a row after which rspamd is left alone for a while. */
const FAILURES_MAX = 3;
const PAUSE_MS = 30_000;

/**
 * Asks rspamd, and goes without it when it is not there: mail waits for it a few times, and after that not
 * at all until half a minute has passed, when one message tries again.
 */
export class SpamScanner {
  #url = "";
  #failures = 0;
  #closedUntil = 0;
  readonly #timeoutMs: number | undefined;
  readonly #now: () => number;

  constructor({
    timeoutMs,
    now = () => performance.now(),
  }: { timeoutMs?: number; now?: () => number } = {}) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /**
   * What rspamd at `url` says; null when it cannot be had.
   *
   * @param prepare called only when rspamd is going to be asked
   */
  async scan(url: string, prepare: () => Promise<Scanned>): Promise<Scan | null> {
    if (url !== this.#url) {
      this.#url = url;
      this.#failures = 0;
      this.#closedUntil = 0;
    }
    if (this.#failures >= FAILURES_MAX && this.#now() < this.#closedUntil) return null;
    // Others that come while this one tries are not to wait with it.
    if (this.#failures >= FAILURES_MAX) this.#closedUntil = this.#now() + PAUSE_MS;
    try {
      const scan = await scanMessage(url, await prepare(), { timeoutMs: this.#timeoutMs });
      this.#failures = 0;
      return scan;
    } catch (error) {
      if (!(error instanceof RspamdError)) throw error;
      this.#noteFailure(error);
      return null;
    }
  }

  #noteFailure({ isThere }: RspamdError): void {
    if (isThere) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    this.#closedUntil = this.#now() + PAUSE_MS;
  }
}
