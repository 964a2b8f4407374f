import { nice, ticks } from "d3-array";

/** Approximate number of gridlines above zero. */
const LINES = 4;

/** Round whole numbers from zero to at least `highest`. */
export function countGridlines(highest: number): number[] {
  const [, end] = nice(0, Math.max(highest, 1), LINES);
  return ticks(0, end, LINES).filter(Number.isInteger);
}

/** Possible maximums of a rate axis: half of each is round too. */
const RATE_ENDS = [0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 1];

/** Round rates from zero to at least `highest`. */
export function rateGridlines(highest: number): number[] {
  const end = RATE_ENDS.find((end) => end >= highest) ?? 1;
  return [0, end / 2, end];
}

export type BarSegment<Name> = { name: Name; from: number; to: number };

/** Stacks a point's values in the order of `names`, leaving out zeros. */
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
 * The points that show their tick label: those whose label differs from the one before, as many as fit,
 * evenly spaced and ending with the last.
 *
 * @param pitch pixels between points
 * @param room pixels that a label takes
 */
export function visibleTicks(ticks: string[], pitch: number, room: number): number[] {
  const places = ticks.flatMap((tick, index) => (tick === ticks[index - 1] ? [] : [index]));
  for (let step = 1; step < places.length; step++) {
    const shown = places.filter((_, index) => (places.length - 1 - index) % step === 0);
    const fits = shown.every(
      (place, index) => index === 0 || (place - shown[index - 1]!) * pitch >= room,
    );
    if (fits) return shown;
  }
  return places.slice(-1);
}

/** Chart geometry, in pixels from the upper left corner. */
export type PlotArea = {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Distance between points. */
  pitch: number;
  /** Center of a point. */
  x: (index: number) => number;
  y: (value: number) => number;
  /** The point nearest to `x`. */
  indexAt: (x: number) => number;
};

const LABEL_GAP = 8;
/** Half a line of text: the top label is centered on the top gridline. */
const TOP = 8;
const TICKS_HEIGHT = 28;

/**
 * Lays out a chart to the right of its gridline labels and above its tick labels.
 *
 * @param labelWidth width of the widest gridline label
 * @param max value of the top gridline
 */
export function createPlotArea({
  width,
  height,
  count,
  labelWidth,
  max,
}: {
  width: number;
  height: number;
  count: number;
  labelWidth: number;
  max: number;
}): PlotArea {
  const left = labelWidth + LABEL_GAP;
  const right = Math.max(width, left + 1);
  const [top, bottom] = [TOP, height - TICKS_HEIGHT];
  const pitch = (right - left) / Math.max(1, count);
  return {
    left,
    right,
    top,
    bottom,
    pitch,
    x: (index) => left + (index + 0.5) * pitch,
    y: (value) => bottom - (value / max) * (bottom - top),
    indexAt: (x) => Math.max(0, Math.min(count - 1, Math.floor((x - left) / pitch))),
  };
}
