const DAY_MS = 86_400_000;

/** A stretch of time in which a zone's clocks show UTC plus `offsetMs`; it ends where the next begins. */
export type OffsetSpan = { from: number; offsetMs: number };

/**
 * How the clocks of a zone run between two instants. Instants are milliseconds since 1970; a local
 * time is written as the milliseconds since 1970 at which UTC's clocks show the same.
 *
 * Clocks are looked at once a day: no zone changes them twice in a day.
 */
export function offsetSpans(zone: string, from: number, to: number): OffsetSpan[] {
  const offsetAt = offsetsOf(zone);
  const stretches = [{ from, offsetMs: offsetAt(from) }];
  for (let day = from; day < to; day += DAY_MS) {
    const next = Math.min(day + DAY_MS, to);
    const before = stretches.at(-1)!.offsetMs;
    const after = offsetAt(next);
    if (after !== before)
      stretches.push({
        from: firstWhere(day, next, (instant) => offsetAt(instant) !== before),
        offsetMs: after,
      });
  }
  return stretches;
}

/** What the clocks show at an instant. */
export function localTime(stretches: OffsetSpan[], instant: number): number {
  return instant + stretches.findLast(({ from }, i) => i === 0 || from <= instant)!.offsetMs;
}

/**
 * The first instant at which clocks show a local time or, where they leap over it, a later one. Of a
 * time that clocks show twice it is the first.
 */
export function firstInstantAt(stretches: OffsetSpan[], local: number): number {
  const at = stretches.findIndex(({ offsetMs }, i) => {
    const next = stretches[i + 1];
    return next === undefined || local - offsetMs < next.from;
  });
  const { from, offsetMs } = stretches[at]!;
  return Math.max(from, local - offsetMs);
}

/** The offset of a zone's clocks from UTC at an instant, in milliseconds. */
function offsetsOf(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const shown = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    ) as Record<Intl.DateTimeFormatPartTypes, number>;
    const { year, month, day, hour, minute, second } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  };
}

/** The first millisecond in (low, high] from which on `holds`, knowing that it holds at `high`. */
function firstWhere(low: number, high: number, holds: (instant: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
