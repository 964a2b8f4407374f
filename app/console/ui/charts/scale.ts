import { nice, ticks } from "d3-array";

/** About how many lines an axis of counts has above zero. */
const LINES = 4;

/** The lines of an axis of counts, from zero: round whole numbers, the last of them not below `highest`. */
export function countGridlines(highest: number): number[] {
  const [, end] = nice(0, Math.max(highest, 1), LINES);
  return ticks(0, end, LINES).filter(Number.isInteger);
}

/** Where an axis of rates may end, so that half of it is round too. */
const RATE_ENDS = [0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 1];

/** The lines of an axis of rates, from zero, the last of them not below `highest`. */
export function rateGridlines(highest: number): number[] {
  const end = RATE_ENDS.find((end) => end >= highest) ?? 1;
  return [0, end / 2, end];
}

/** A part of a bar: from where to where on the axis. */
export type BarSegment<Name> = { name: Name; from: number; to: number };

/** Puts the values of a point upon each other, in the order of `names`. What is nothing has no part. */
export function stack<Name extends string>(
  names: Name[],
  values: Partial<Record<Name, number>>,
): BarSegment<Name>[] {
  let from = 0;
  return names.flatMap((name) => {
    const value = values[name] ?? 0;
    if (value <= 0) return [];
    const part = { name, from, to: from + value };
    from = part.to;
    return [part];
  });
}

/**
 * Which points say their tick on the axis: where it is another than of the point before, as many as have
 * room, in even steps that end with the last.
 *
 * @param pitch pixels from one point to the next
 * @param room pixels that a tick takes
 */
export function visibleTicks(ticks: string[], pitch: number, room: number): number[] {
  const places = ticks.flatMap((tick, index) => (tick === ticks[index - 1] ? [] : [index]));
  for (let step = 1; step < places.length; step++) {
    const shown = places.filter((_, index) => (places.length - 1 - index) % step === 0);
    const isRoomy = shown.every(
      (place, index) => index === 0 || (place - shown[index - 1]!) * pitch >= room,
    );
    if (isRoomy) return shown;
  }
  return places.slice(-1);
}
