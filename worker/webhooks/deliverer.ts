import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import { count, observe } from "#server/core/platform/monitoring/counters.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import {
  type Attempt,
  INTERRUPTED,
  recordAttempts,
} from "#server/core/webhooks/attempts/attempts.ts";
import {
  disownEvent,
  findDueWebhooks,
  type LeasedEvent,
  leaseDueEvents,
  releaseEvents,
} from "#server/core/webhooks/attempts/event-leases.ts";
import { redactResponse } from "#server/core/webhooks/attempts/redact-response.ts";
import { WEBHOOKS_CHANNEL } from "#server/core/webhooks/events/publish-event.ts";
import type { Connection } from "#server/db/client.ts";
import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { LeaseLoop, SWEEP_MS } from "#worker/lease-loop.ts";

import { Lanes, PROMPT_MS } from "./lanes.ts";
import { signedHeaders } from "./signed-headers.ts";

/** How far ahead a scan looks for due events. */
const LOOK_AHEAD_MS = 1_000;
/** Pause after a lease query. */
const PAUSE_MS = 2;
/** After a scan of all webhooks, pause for this many times its duration. */
const SCAN_PAUSE_FACTOR = 4;
const ATTEMPTS_GRACE_MS = 5_000;

export type DelivererOptions = { connection: Connection; http: OutgoingHttp; log: Logger };

/** Posts due webhook events and records the attempts. Any number of deliverers can work on one database. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #lanes = new Lanes();
  readonly #loop: LeaseLoop<Attempt>;
  /** Leased events without a recorded result, by event and lease. */
  readonly #leased = new Map<string, LeasedEvent>();
  #isNotified = true;
  /** On the clock of `performance.now()`. */
  #nextScanAt = 0;
  #quietUntil = 0;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { connection, log } = options;
    this.#loop = new LeaseLoop<Attempt>({
      connection,
      log,
      what: "webhook events",
      channel: WEBHOOKS_CHANNEL,
      onNotify: () => (this.#isNotified = true),
      // The pause after a slow scan is long, and the loop must still turn during it.
      waitMs: () => this.#untilNextScan(),
      untilDueMs: async () => {
        const found = await findDueWebhooks(connection.db, SWEEP_MS);
        return found.length === 0 ? null : Math.min(...found.map(({ inMs }) => inMs));
      },
      pauseMs: PAUSE_MS,
      lease: () => this.#lease(),
      write: async (attempts) => {
        const { hasDueEvent } = await recordAttempts(connection.db, attempts);
        if (!hasDueEvent) return;
        this.#isNotified = true;
        this.#loop.wake();
      },
      onWritten: (attempts) => {
        for (const attempt of attempts) this.#leased.delete(leaseKey(attempt));
      },
      settle: (done) => Promise.race([done, delay(ATTEMPTS_GRACE_MS, null, { ref: false })]),
      release: () => this.#release([...this.#leased.values()]),
    });
  }

  get isStalled(): boolean {
    return this.#loop.isStalled;
  }

  /** Resolves once the deliverer listens for new events. */
  start(): Promise<void> {
    return this.#loop.start();
  }

  /**
   * Stops leasing, waits five seconds for running attempts, records their results and releases the other
   * leases. Takes at most eleven seconds, even without a database.
   */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #release(events: LeasedEvent[]): Promise<void> {
    try {
      await releaseEvents(this.#options.connection.db, events);
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        "could not release webhook event leases; they will expire",
      );
    }
  }

  async #disown(event: LeasedEvent): Promise<void> {
    try {
      await disownEvent(this.#options.connection.db, event);
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        "could not clear the owner of a webhook event; it is due again when its lease expires",
      );
    }
  }

  #untilNextScan(): number {
    const scanAt = this.#isNotified
      ? this.#quietUntil
      : Math.max(this.#nextScanAt, this.#quietUntil);
    return Math.max(0, scanAt - performance.now());
  }

  async #lease(): Promise<"all"> {
    if (this.#untilNextScan() === 0) await this.#scan();
    const shares = this.#lanes.shares();
    if (shares.length === 0) return "all";
    const { connection } = this.#options;
    const events = await leaseDueEvents(connection.db, { lease: randomUUID(), shares });
    this.#lanes.recordLeased(shares, events);
    for (const event of events) {
      this.#leased.set(leaseKey(event), event);
      this.#lanes.add(event);
    }
    for (const { webhookId } of shares) this.#attemptNext(webhookId);
    return "all";
  }

  /** Finds the webhooks that have events due now, and when to look again. */
  async #scan(): Promise<void> {
    this.#isNotified = false;
    const startedAt = performance.now();
    const found = await findDueWebhooks(this.#options.connection.db, LOOK_AHEAD_MS);
    const endedAt = performance.now();
    const later = found.flatMap(({ inMs }) => (inMs > 0 ? [inMs] : []));
    this.#lanes.addDue(found.filter(({ inMs }) => inMs <= 0));
    this.#nextScanAt = endedAt + Math.min(LOOK_AHEAD_MS, ...later);
    this.#quietUntil = endedAt + SCAN_PAUSE_FACTOR * (endedAt - startedAt);
  }

  #attemptNext(webhookId: string): void {
    if (this.#loop.isStopping) return;
    for (let next; (next = this.#lanes.next(webhookId));) this.#loop.track(this.#attempt(next));
  }

  async #dropAhead(webhookId: string): Promise<void> {
    const dropped = this.#lanes.dropAhead(webhookId);
    if (dropped.length === 0) return;
    for (const event of dropped) this.#leased.delete(leaseKey(event));
    await this.#release(dropped);
    this.#loop.wake();
  }

  async #attempt(event: LeasedEvent): Promise<void> {
    const slot = this.#lanes.begin(event.webhookId);
    const slow = setTimeout(() => {
      this.#lanes.markSlow(slot);
      if (!this.#loop.isStopping) this.#loop.track(this.#dropAhead(event.webhookId));
    }, PROMPT_MS);
    let succeeded = false;
    try {
      const attempt = await postEvent(event, this.#options.http);
      succeeded = attempt.error === null;
      const outcome = succeeded ? "delivered" : "failed";
      count("posthouse_webhook_attempts_total", { outcome });
      observe("posthouse_webhook_attempt_seconds", {}, attempt.durationMs / 1_000);
      this.#loop.record([attempt]);
    } catch (error) {
      // An error on our side isn't a failed attempt.
      const { id: eventId, webhookId } = event;
      this.#leased.delete(leaseKey(event));
      this.#lanes.rest(webhookId);
      this.#options.log.error({ err: error, eventId, webhookId }, "could not post a webhook event");
      await this.#disown(event);
    }
    clearTimeout(slow);
    const hasMore = this.#lanes.end(slot, { succeeded });
    // Not while results can't be written.
    if (succeeded && !this.#loop.isPaused) this.#attemptNext(event.webhookId);
    else await this.#dropAhead(event.webhookId);
    if (hasMore) this.#loop.wake();
  }
}

const leaseKey = ({ id, lease }: Pick<LeasedEvent, "id" | "lease">) => `${id} ${lease}`;

const TIMEOUT_MS = 10_000;
/** More than is shown, since redaction can shorten it. */
const ANSWER_BYTES_MAX = 8 * 1024;

/**
 * Makes one attempt to deliver an event. Whatever the endpoint does is an outcome; only an error on our
 * side throws.
 *
 * @throws SealError if the signing secret can't be decrypted
 */
async function postEvent(event: LeasedEvent, http: OutgoingHttp): Promise<Attempt> {
  const body = event.payload;
  const secret = unseal("webhook_secret", event.sealedSecret);
  const sentAt = new Date();
  const startedAt = performance.now();
  const result = await post(
    event,
    http,
    signedHeaders({ eventId: event.id, body, secret }, sentAt),
  );
  const { id, webhookId, lease, isReplay } = event;
  const durationMs = Math.round(performance.now() - startedAt);
  return { id, webhookId, lease, isReplay, ...result, durationMs, sentAt: sentAt.toISOString() };
}

type Result = Pick<Attempt, "httpStatusCode" | "response" | "error">;

async function post(
  { endpoint, payload, isSuspect }: LeasedEvent,
  http: OutgoingHttp,
  headers: Record<string, string>,
): Promise<Result> {
  // Retried later, so that other events are delivered in between.
  if (isSuspect) return { httpStatusCode: null, response: "", error: INTERRUPTED };
  try {
    const { status, body, isCut } = await http.request({
      url: endpoint,
      method: "POST",
      headers,
      body: payload,
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    return {
      httpStatusCode: status,
      response: redactResponse(body, { endpoint, isCut }),
      error: status >= 200 && status < 300 ? null : `HTTP ${status}`,
    };
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error;
    return { httpStatusCode: null, response: "", error: error.code };
  }
}
