/** Where things of a chart stand, in pixels from its upper left corner. */
export type PlotArea = {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** From one point to the next. */
  pitch: number;
  /** The middle of a point. */
  x: (index: number) => number;
  y: (value: number) => number;
  /** The point at a place, or the nearest. */
  indexAt: (x: number) => number;
};

const GAP = 8;
/** Half a line of type: the uppermost stands beside the end of the axis. */
const TOP = 8;
const TICKS_HEIGHT = 28;

/**
 * Where the points and values of a chart stand: beside the words of its lines, over those of its ticks.
 *
 * @param words pixels that the widest word of its lines takes
 * @param end value of the uppermost line
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
  const left = labelWidth + GAP;
  const right = Math.max(width, left + 1);
  const [top, bottom] = [TOP, height - TICKS_HEIGHT];
  const pitch = (right - left) / Math.max(1, count);
  return {
    ...{ left, right, top, bottom, pitch },
    x: (index) => left + (index + 0.5) * pitch,
    y: (value) => bottom - (value / max) * (bottom - top),
    indexAt: (x) => Math.max(0, Math.min(count - 1, Math.floor((x - left) / pitch))),
  };
}
