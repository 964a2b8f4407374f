const DAY_MS = 86_400_000;

/** A span of time with a constant UTC offset; it ends where the next begins. */
export type OffsetSpan = { from: number; offsetMs: number };

/**
 * Lists a zone's UTC offsets between two instants, in milliseconds since 1970. A local time is represented as
 * the UTC instant with the same clock reading.
 *
 * Samples once a day: no zone changes its offset twice in a day.
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

export function localTime(stretches: OffsetSpan[], instant: number): number {
  return instant + stretches.findLast(({ from }, i) => i === 0 || from <= instant)!.offsetMs;
}

/**
 * The first instant with this local time; if clocks skip it, the first one after. Of a repeated time, the
 * first occurrence.
 */
export function firstInstantAt(stretches: OffsetSpan[], local: number): number {
  const at = stretches.findIndex(({ offsetMs }, i) => {
    const next = stretches[i + 1];
    return next === undefined || local - offsetMs < next.from;
  });
  const { from, offsetMs } = stretches[at]!;
  return Math.max(from, local - offsetMs);
}

/** The zone's UTC offset at an instant, in milliseconds. */
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

/** The first millisecond in (low, high] from which `holds` is true; binary search. */
function firstWhere(low: number, high: number, holds: (instant: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
