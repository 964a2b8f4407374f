import type {
  DueWebhook,
  LeasedEvent,
  WebhookShare,
} from "#server/core/webhooks/attempts/event-leases.ts";

/** Concurrent attempts to one webhook: initially, at most, and at least. */
const LIMIT_INITIAL = 8;
const LIMIT_MAX = 32;
const LIMIT_MIN = 2;

/** Events leased ahead for a prompt webhook, as a share of its limit, so that no slot is idle while the next event is leased. */
const AHEAD_SHARE = 0.5;

/** Concurrent attempts to webhooks that respond promptly, and to all others. */
const SLOTS = { prompt: 200, doubtful: 500 };

/** Both together, plus attempts that turned slow while running. */
export const ATTEMPTS_MAX = 1000;

/** A slower response makes a webhook doubtful. */
export const PROMPT_MS = 1_000;

/** How long a webhook is paused when an error on our side prevents its attempts. */
const PAUSE_MS = 30_000;
/** How long an idle webhook stays marked as doubtful. */
const REMEMBERED_MS = 60_000;

type Pool = keyof typeof SLOTS;

type Lane = {
  /** Concurrent attempts: one more with each success, half as many with each failure. */
  limit: number;
  inFlight: number;
  /** Events leased ahead, the next one first. */
  ahead: LeasedEvent[];
  /** The pool of its next attempts. */
  pool: Pool;
  /** More events may be due than were leased. */
  hasMore: boolean;
  /** On the clock of `performance.now()`. */
  pausedUntil: number;
  endedAt: number;
};

/** The slot of a running attempt. */
export type Slot = { webhookId: string; pool: Pool; isSlow: boolean };

/**
 * Limits concurrent attempts so that no endpoint delays another's events.
 *
 * A webhook starts with a few attempts at a time, gets more with every success and fewer with every
 * failure. Endpoints that fail or answer slowly are doubtful and have slots of their own. An attempt that
 * turns out to be slow moves to those, so all prompt slots are free again within a second whatever the
 * endpoints do. When slots are short, webhooks with the fewest attempts in flight come first.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #used: Record<Pool, number> = { prompt: 0, doubtful: 0 };

  /** Adds webhooks that have events due. */
  addDue(due: Pick<DueWebhook, "webhookId" | "failures">[]): void {
    for (const { webhookId, failures } of due) {
      const lane = this.#lanes.get(webhookId);
      if (lane) lane.hasMore = true;
      else this.#lanes.set(webhookId, newLane(failures));
    }
  }

  /** How many events to lease for each webhook. */
  shares(): WebhookShare[] {
    const now = performance.now();
    this.#forget(now);
    const free = ATTEMPTS_MAX - this.#used.prompt - this.#used.doubtful;
    const ready = [...this.#lanes]
      .filter(([, lane]) => lane.hasMore && lane.pausedUntil <= now)
      .sort(([, a], [, b]) => a.endedAt - b.endedAt);
    return (["prompt", "doubtful"] as const).flatMap((pool) =>
      assignSlots(
        Math.min(free, SLOTS[pool] - this.#used[pool]),
        ready
          .filter(([, lane]) => lane.pool === pool)
          .flatMap(([webhookId, lane]) => candidateOf(webhookId, lane)),
      ),
    );
  }

  /** Processes what was leased for `shares`: a webhook with fewer events than its share has no more. */
  recordLeased(shares: WebhookShare[], events: { webhookId: string }[]): void {
    const counts = Map.groupBy(events, ({ webhookId }) => webhookId);
    for (const { webhookId, take } of shares) {
      const lane = this.#lanes.get(webhookId);
      if (lane) lane.hasMore = (counts.get(webhookId)?.length ?? 0) >= take;
    }
  }

  /** Keeps a leased event until `next` returns it. */
  add(event: LeasedEvent): void {
    this.#laneOf(event.webhookId).ahead.push(event);
  }

  /** An event to attempt now; null if there is none or no slot for it. */
  next(webhookId: string): LeasedEvent | null {
    const { ahead, inFlight, limit } = this.#laneOf(webhookId);
    return (inFlight < limit && ahead.shift()) || null;
  }

  /** Forgets the events leased ahead: those of an endpoint that fails or is slow would wait until their leases expire. */
  dropAhead(webhookId: string): LeasedEvent[] {
    const lane = this.#laneOf(webhookId);
    const dropped = lane.ahead.splice(0);
    if (dropped.length > 0) lane.hasMore = true;
    return dropped;
  }

  begin(webhookId: string): Slot {
    const lane = this.#laneOf(webhookId);
    lane.inFlight++;
    this.#used[lane.pool]++;
    return { webhookId, pool: lane.pool, isSlow: false };
  }

  /** Call when an attempt has no response after PROMPT_MS. */
  markSlow(slot: Slot): void {
    this.#laneOf(slot.webhookId).pool = "doubtful";
    slot.isSlow = true;
    this.#used[slot.pool]--;
    slot.pool = "doubtful";
    this.#used.doubtful++;
  }

  /** @returns whether another event may be leased in its place */
  end(slot: Slot, { succeeded }: { succeeded: boolean }): boolean {
    const lane = this.#laneOf(slot.webhookId);
    lane.inFlight--;
    lane.endedAt = performance.now();
    this.#used[slot.pool]--;
    if (!succeeded) {
      lane.limit = Math.max(LIMIT_MIN, Math.floor(lane.limit / 2));
      lane.pool = "doubtful";
    } else {
      lane.limit = Math.min(LIMIT_MAX, lane.limit + 1);
      if (!slot.isSlow) lane.pool = "prompt";
    }
    return [...this.#lanes.values()].some(({ hasMore }) => hasMore);
  }

  /** Pauses a webhook. */
  rest(webhookId: string): void {
    this.#laneOf(webhookId).pausedUntil = performance.now() + PAUSE_MS;
  }

  #laneOf(webhookId: string): Lane {
    let lane = this.#lanes.get(webhookId);
    if (!lane) this.#lanes.set(webhookId, (lane = newLane(0)));
    return lane;
  }

  #forget(now: number): void {
    for (const [webhookId, lane] of this.#lanes) {
      const isIdle =
        lane.inFlight + lane.ahead.length === 0 && !lane.hasMore && lane.pausedUntil <= now;
      const isForgiven = lane.pool === "prompt" || now - lane.endedAt > REMEMBERED_MS;
      if (isIdle && isForgiven) this.#lanes.delete(webhookId);
    }
  }
}

const newLane = (failures: number): Lane => ({
  limit: failures > 0 ? LIMIT_MIN : LIMIT_INITIAL,
  pool: failures > 0 ? "doubtful" : "prompt",
  inFlight: 0,
  ahead: [],
  hasMore: true,
  pausedUntil: 0,
  endedAt: performance.now(),
});

/** What may be leased for a webhook, once half of what was leased ahead is used up: fewer, larger leases. */
function candidateOf(webhookId: string, { inFlight, limit, pool, ahead }: Lane): Candidate[] {
  const aheadMax = pool === "prompt" && limit === LIMIT_MAX ? limit * AHEAD_SHARE : 0;
  if (ahead.length > aheadMax / 2) return [];
  return [{ webhookId, inFlight: inFlight + ahead.length, limit: limit + aheadMax }];
}

type Candidate = { webhookId: string; inFlight: number; limit: number };

/**
 * Assigns slots so that webhooks with the fewest attempts in flight come first, none exceeding its limit.
 * Ties go to the first in the list.
 */
export function assignSlots(slots: number, candidates: Candidate[]): WebhookShare[] {
  const open = candidates.filter(({ inFlight, limit }) => inFlight < limit);
  const wanted = open.reduce((sum, { inFlight, limit }) => sum + limit - inFlight, 0);
  const level = wanted <= slots ? Infinity : fullLevel(slots, open);
  const shares = open.map(({ webhookId, inFlight, limit }) => {
    const take = Math.max(0, Math.min(limit, level) - inFlight);
    return { webhookId, take, isSatisfied: limit <= level, isAbove: inFlight > level };
  });
  let left = slots - shares.reduce((sum, { take }) => sum + take, 0);
  for (const share of shares)
    if (left > 0 && !share.isSatisfied && !share.isAbove) {
      share.take++;
      left--;
    }
  return shares.flatMap(({ webhookId, take }) => (take > 0 ? [{ webhookId, take }] : []));
}

/** The number of attempts in flight that the slots allow every webhook to reach, up to its limit. */
function fullLevel(slots: number, open: Candidate[]): number {
  let level = 0;
  let left = slots;
  for (;;) {
    const needed = open.filter(({ inFlight, limit }) => inFlight <= level && level < limit).length;
    if (needed > left) return level;
    left -= needed;
    level++;
  }
}
