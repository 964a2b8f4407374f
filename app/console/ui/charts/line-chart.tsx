"use client";

import classes from "./charts.module.css";
import { formatRate, formatRateTick } from "#app/console/ui/format.ts";
import { type PlotContext, ChartPlot } from "./plot.tsx";
import { rateGridlines } from "./scale.ts";
import type { Point, Series } from "./series.tsx";

export const LINE_CHART_HEIGHT = 132;

/** More dots would merge into a thick line. */
const DOTS_MAX = 31;

/** One rate by period. Show the same numbers in a `ChartDataTable` next to it. */
export function LineChart({
  label,
  points,
  series,
}: {
  /** Accessible name. */
  label: string;
  points: Point[];
  series: Series[number];
}) {
  const highest = Math.max(0, ...points.map(({ values }) => values[series.name] ?? 0));
  return (
    <ChartPlot
      {...{ label, points }}
      series={[series]}
      height={LINE_CHART_HEIGHT}
      gridlines={rateGridlines(highest)}
      formatTick={formatRateTick}
      formatValue={formatRate}
    >
      {(drawing) => <ChartLine points={points} series={series} {...drawing} />}
    </ChartPlot>
  );
}

/** Skips periods without a value, such as days without emails. */
function ChartLine({
  points,
  series: { name, tone },
  area,
  pointed,
}: { points: Point[]; series: Series[number] } & PlotContext) {
  const dots = points.flatMap(({ values }, index) => {
    const value = values[name];
    return value === undefined ? [] : [{ index, x: area.x(index), y: area.y(value) }];
  });
  const isPointed = ({ index }: { index: number }) => index === pointed;
  const shown = points.length > DOTS_MAX && dots.length > 1 ? dots.filter(isPointed) : dots;
  return (
    <g className={classes.line} style={{ color: `var(--status-${tone})` }}>
      {pointed !== null && (
        <line
          className={classes.hair}
          x1={area.x(pointed)}
          x2={area.x(pointed)}
          y1={area.top}
          y2={area.bottom}
        />
      )}
      <path d={dots.map(({ x, y }, nth) => `${nth === 0 ? "M" : "L"}${x} ${y}`).join("")} />
      {shown.map((dot) => (
        <circle key={dot.index} cx={dot.x} cy={dot.y} r={isPointed(dot) ? 4 : 2.5} />
      ))}
    </g>
  );
}
