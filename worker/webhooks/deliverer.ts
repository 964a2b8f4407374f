import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import {
  findDueWebhooks,
  type LeasedEvent,
  leaseDueEvents,
  releaseEvents,
} from "#server/core/webhooks/attempts/event-leases.ts";
import { count, observe } from "#server/core/platform/monitoring/counters.ts";
import { type Attempt, recordAttempts } from "#server/core/webhooks/attempts/attempts.ts";
import { WEBHOOKS_CHANNEL } from "#server/core/webhooks/events/publish-event.ts";
import type { Connection } from "#server/db/client.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { backoffMs } from "#worker/pump/backoff.ts";
import { LoopMonitor } from "#worker/pump/loop-monitor.ts";
import { createOutcomeWriter, type OutcomeWriter } from "#worker/pump/outcome-writer.ts";
import { Signal } from "#worker/pump/signal.ts";

import { Lanes, PROMPT_MS } from "./lanes.ts";
import { postEvent } from "./post-event.ts";

/** Poll interval, for due events that no notification announced. */
const POLL_MS = 1_000;
/** Pause after a lease query, so that a busy endpoint doesn't cause one query per event. */
const PAUSE_MS = 2;
/** After a scan of all webhooks, pause for this many times its duration. */
const SCAN_PAUSE_FACTOR = 4;
const ATTEMPTS_GRACE_MS = 5_000;
const FLUSH_GRACE_MS = 5_000;

export type DelivererOptions = { connection: Connection; http: OutgoingHttp; log: Logger };

/** Posts due webhook events and records the attempts. Any number of deliverers can work on one database. */
export class Deliverer {
  readonly monitor = new LoopMonitor();
  readonly #options: DelivererOptions;
  readonly #lanes = new Lanes();
  readonly #signal = new Signal();
  readonly #writer: OutcomeWriter<Attempt>;
  readonly #attempts = new Set<Promise<void>>();
  /** Leased events without a recorded result, by event and lease. */
  readonly #leased = new Map<string, LeasedEvent>();
  #stopping = false;
  #stopped: Promise<void> | null = null;
  #loop: Promise<void> | null = null;
  #isNotified = true;
  /** On the clock of `performance.now()`. */
  #nextScanAt = 0;
  #quietUntil = 0;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#writer = createOutcomeWriter<Attempt>({
      write: async (attempts) => {
        const { hasDueEvent } = await recordAttempts(options.connection.db, attempts);
        if (hasDueEvent) this.#wake();
      },
      onWritten: (attempts) => {
        for (const attempt of attempts) this.#leased.delete(leaseKey(attempt));
      },
      log: options.log,
    });
  }

  /** Resolves once the deliverer listens for new events. */
  async start(): Promise<void> {
    await this.#options.connection.sql.listen(WEBHOOKS_CHANNEL, () => this.#wake());
    this.#loop = this.#run();
  }

  /**
   * Stops leasing, waits five seconds for running attempts, records their results and releases the other
   * leases. Takes at most eleven seconds, even without a database.
   */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#signal.raise();
    await Promise.race([this.#attemptsDone(), delay(ATTEMPTS_GRACE_MS, null, { ref: false })]);
    await Promise.race([this.#releaseLeases(), delay(FLUSH_GRACE_MS, null, { ref: false })]);
  }

  async #attemptsDone(): Promise<void> {
    await this.#loop;
    while (this.#attempts.size > 0) await Promise.all(this.#attempts);
  }

  async #releaseLeases(): Promise<void> {
    await this.#writer.drain();
    try {
      await releaseEvents(this.#options.connection.db, [...this.#leased.values()]);
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        "could not release webhook event leases; they will expire",
      );
    }
  }

  #wake(): void {
    this.#isNotified = true;
    this.#signal.raise();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping) {
      this.monitor.turn();
      try {
        if (!this.#writer.failing) await this.#round();
        if (failures > 0) this.#options.log.info("reading webhook events works again");
        failures = 0;
        await delay(PAUSE_MS);
        // The pause after a slow scan is long, and the loop must still turn during it.
        const restMs = this.#writer.failing ? POLL_MS : this.#untilNextScan();
        await this.#signal.wait(Math.min(POLL_MS, restMs));
      } catch (error) {
        if (failures++ === 0)
          this.#options.log.error({ err: error }, "could not read webhook events; retrying");
        await delay(backoffMs(failures));
      }
    }
  }

  #untilNextScan(): number {
    const scanAt = this.#isNotified
      ? this.#quietUntil
      : Math.max(this.#nextScanAt, this.#quietUntil);
    return Math.max(0, scanAt - performance.now());
  }

  async #round(): Promise<void> {
    if (this.#untilNextScan() === 0) await this.#scan();
    const shares = this.#lanes.shares();
    if (shares.length === 0) return;
    const { connection } = this.#options;
    const events = await leaseDueEvents(connection.db, { lease: randomUUID(), shares });
    this.#lanes.recordLeased(shares, events);
    for (const event of events) this.#start(event);
  }

  /** Finds the webhooks that have events due now, and when to look again. */
  async #scan(): Promise<void> {
    this.#isNotified = false;
    const startedAt = performance.now();
    const found = await findDueWebhooks(this.#options.connection.db, POLL_MS);
    const endedAt = performance.now();
    const later = found.flatMap(({ inMs }) => (inMs > 0 ? [inMs] : []));
    this.#lanes.addDue(found.filter(({ inMs }) => inMs <= 0));
    this.#nextScanAt = endedAt + Math.min(POLL_MS, ...later);
    this.#quietUntil = endedAt + SCAN_PAUSE_FACTOR * (endedAt - startedAt);
  }

  #start(event: LeasedEvent): void {
    this.#leased.set(leaseKey(event), event);
    if (this.#stopping) return;
    const attempt = this.#attempt(event).finally(() => this.#attempts.delete(attempt));
    this.#attempts.add(attempt);
  }

  async #attempt(event: LeasedEvent): Promise<void> {
    const slot = this.#lanes.begin(event.webhookId);
    const slow = setTimeout(() => this.#lanes.markSlow(slot), PROMPT_MS);
    let succeeded = false;
    try {
      const attempt = await postEvent(event, this.#options.http);
      succeeded = attempt.error === null;
      const outcome = succeeded ? "delivered" : "failed";
      count("posthouse_webhook_attempts_total", { outcome });
      observe("posthouse_webhook_attempt_seconds", {}, attempt.durationMs / 1_000);
      this.#writer.add([attempt]);
    } catch (error) {
      // An error on our side isn't a failed attempt: the lease expires and the event is due again.
      const { id: eventId, webhookId } = event;
      this.#leased.delete(leaseKey(event));
      this.#lanes.rest(webhookId);
      this.#options.log.error({ err: error, eventId, webhookId }, "could not post a webhook event");
    }
    clearTimeout(slow);
    if (this.#lanes.end(slot, { succeeded })) this.#signal.raise();
  }
}

const leaseKey = ({ id, lease }: Pick<LeasedEvent, "id" | "lease">) => `${id} ${lease}`;
