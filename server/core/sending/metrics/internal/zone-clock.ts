import { Temporal } from "temporal-polyfill";

/** A span of time with a constant UTC offset; it ends where the next begins. */
export type OffsetSpan = { from: number; offsetMs: number };

/**
 * Lists a zone's UTC offsets between two instants, in milliseconds since 1970. A local time is represented as
 * the UTC instant with the same clock reading.
 */
export function offsetSpans(zone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  for (
    let at: Temporal.ZonedDateTime | null = start;
    at && at.epochMilliseconds <= to;
    at = at.getTimeZoneTransition("next")
  )
    spans.push({ from: at.epochMilliseconds, offsetMs: at.offsetNanoseconds / 1_000_000 });
  return spans;
}

export function localTime(spans: OffsetSpan[], instant: number): number {
  return instant + spans.findLast(({ from }, i) => i === 0 || from <= instant)!.offsetMs;
}

/**
 * The first instant with this local time; if clocks skip it, the first one after. Of a repeated time, the
 * first occurrence.
 */
export function firstInstantAt(spans: OffsetSpan[], local: number): number {
  const at = spans.findIndex(({ offsetMs }, i) => {
    const next = spans[i + 1];
    return next === undefined || local - offsetMs < next.from;
  });
  const { from, offsetMs } = spans[at]!;
  return Math.max(from, local - offsetMs);
}
