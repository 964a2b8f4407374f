import classes from "./charts.module.css";
import type { PlotArea } from "./plot-area.ts";
import { visibleTicks } from "./scale.ts";
import type { Point } from "./series.ts";
import { maxTextWidth } from "./text-width.ts";

const GAP = 16;

/** Gridlines with their values, and the labels of the x axis. */
export function ChartAxes({
  area,
  points,
  gridlines,
  formatTick,
}: {
  area: PlotArea;
  points: Point[];
  gridlines: number[];
  formatTick: (value: number) => string;
}) {
  const ticks = points.map(({ tick }) => tick);
  const widest = maxTextWidth(ticks);
  // The first and last labels shift inwards to stay within the chart, towards their neighbors.
  const room = widest + GAP + Math.max(0, (widest - area.pitch) / 2);
  return (
    <g className={classes.axes}>
      {gridlines.map((value) => {
        const y = Math.round(area.y(value)) + 0.5;
        return (
          <g key={value}>
            <line
              x1={area.left}
              x2={area.right}
              y1={y}
              y2={y}
              data-zero={value === 0 || undefined}
            />
            <text x={area.left - 8} y={y} dy="0.32em" textAnchor="end">
              {formatTick(value)}
            </text>
          </g>
        );
      })}
      {visibleTicks(ticks, area.pitch, room).map((index) => {
        const half = widest / 2;
        const x = Math.min(area.right - half, Math.max(half, area.x(index)));
        return (
          <text key={index} x={x} y={area.bottom + 20} textAnchor="middle">
            {ticks[index]}
          </text>
        );
      })}
    </g>
  );
}
