import type { Share } from "#server/core/webhooks/attempts/event-leases.ts";

type Candidate = { webhookId: string; inFlight: number; limit: number };

/**
 * Assigns slots so that webhooks with the fewest attempts in flight come first, none exceeding its limit.
 * Ties go to the first in the list.
 */
export function assignSlots(slots: number, candidates: Candidate[]): Share[] {
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
