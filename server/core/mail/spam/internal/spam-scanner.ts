import { type Scan, type Scanned, scanMessage } from "#server/gateways/rspamd.ts";
import { RspamdError } from "#server/gateways/rspamd-connection.ts";

/** Consecutive failures after which rspamd is skipped for a while. */
const FAILURES_MAX = 3;
const PAUSE_MS = 30_000;
/** rspamd can take long for a larger message. Otherwise a few of them would turn off the scan of all others. */
const SMALL_BYTES_MAX = 1024 * 1024;

/**
 * A circuit breaker for rspamd: after a few consecutive failures it skips scans for 30 seconds, and then lets one
 * message try again.
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
   * Scans a message; null if rspamd is unavailable.
   *
   * @param prepare called only if a scan is attempted
   */
  async scan(url: string, prepare: () => Promise<Scanned>): Promise<Scan | null> {
    if (url !== this.#url) {
      this.#url = url;
      this.#failures = 0;
      this.#closedUntil = 0;
    }
    if (this.#failures >= FAILURES_MAX && this.#now() < this.#closedUntil) return null;
    // Keep other messages from trying at the same time.
    if (this.#failures >= FAILURES_MAX) this.#closedUntil = this.#now() + PAUSE_MS;
    const scanned = await prepare();
    try {
      const scan = await scanMessage(url, scanned, { timeoutMs: this.#timeoutMs });
      this.#failures = 0;
      return scan;
    } catch (error) {
      if (!(error instanceof RspamdError)) throw error;
      if (error.isThere || scanned.content.length <= SMALL_BYTES_MAX) this.#noteFailure(error);
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
