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

const GAP = 8;
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
