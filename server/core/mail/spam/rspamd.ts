import { join } from "node:path";

import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import {
  type Learned,
  learnMessage,
  privateRspamdUrl,
  RspamdError,
  type Scan,
  scanMessage,
  type Scanned,
} from "#server/gateways/rspamd.ts";

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

/**
 * Teaches rspamd that a mailbox user or admin considers the message spam, or not (`ham`).
 *
 * @returns the result; null when rspamd is off
 * @throws RspamdError when rspamd can't be reached or rejects the request
 */
export async function learnSpam(
  db: Db,
  kind: "spam" | "ham",
  content: Buffer,
): Promise<Learned | null> {
  const url = rspamdUrl(await currentSettings(db));
  return url === null ? null : learnMessage(url, kind, content);
}

/** The URL of rspamd, `unix:<folder>` for the private one; null when it is off. */
export function rspamdUrl({ rspamd_url: setting }: Pick<Settings, "rspamd_url">): string | null {
  if (setting === "off") return null;
  return setting === "own" ? privateRspamdUrl(join(config().dataFolder, "rspamd/run")) : setting;
}
