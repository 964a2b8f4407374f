import type { Share } from "#server/core/webhooks/claim-due-events.ts";

type Candidate = { webhookId: string; inFlight: number; limit: number };

/**
 * Shares out slots so that those with the fewest attempts in flight come first, and none gets more than
 * its limit. Among equals the first in the list does.
 */
export function shareOut(slots: number, candidates: Candidate[]): Share[] {
  const open = candidates.filter(({ inFlight, limit }) => inFlight < limit);
  const wanted = open.reduce((sum, { inFlight, limit }) => sum + limit - inFlight, 0);
  const level = wanted <= slots ? Infinity : highestLevel(slots, open);
  let left = slots;
  return open.flatMap(({ webhookId, inFlight, limit }) => {
    const take = Math.min(left, Math.min(limit, level) - inFlight);
    if (take <= 0) return [];
    left -= take;
    return [{ webhookId, take }];
  });
}

/** How many attempts each may have in flight, so that all slots are used. */
function highestLevel(slots: number, open: Candidate[]): number {
  let level = 0;
  let needed = 0;
  while (needed < slots) {
    level++;
    needed += open.filter(({ inFlight, limit }) => inFlight < level && level <= limit).length;
  }
  return level;
}
