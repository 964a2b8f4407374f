"use client";

import classes from "./charts.module.css";
import { formatCount, formatCompactCount } from "#app/console/ui/format.ts";
import { type PlotContext, ChartPlot } from "./plot.tsx";
import { countGridlines, type PlotArea, stack } from "./scale.ts";
import { type Point, type Series, usePatterns } from "./series.tsx";

export const BAR_CHART_HEIGHT = 240;

const WIDTH_MAX = 32;
/** Share of the space per point. */
const WIDTH_SHARE = 0.72;

/** Stacked counts by period. Show the same numbers in a `ChartDataTable` next to it. */
export function BarChart({
  label,
  points,
  series,
}: {
  /** Accessible name. */
  label: string;
  points: Point[];
  series: Series;
}) {
  const names = series.map(({ name }) => name);
  const highest = Math.max(0, ...points.map(({ values }) => stack(names, values).at(-1)?.to ?? 0));
  return (
    <ChartPlot
      {...{ label, points, series }}
      height={BAR_CHART_HEIGHT}
      gridlines={countGridlines(highest)}
      formatTick={formatCompactCount}
      formatValue={formatCount}
    >
      {(drawing) => <ChartBars points={points} series={series} {...drawing} />}
    </ChartPlot>
  );
}

function ChartBars({
  points,
  series,
  area,
  pointed,
}: { points: Point[]; series: Series } & PlotContext) {
  const { patterns, fillOf } = usePatterns();
  const names = series.map(({ name }) => name);
  const fills = new Map(series.map(({ name, tone }) => [name, fillOf(tone)]));
  return (
    <>
      {patterns}
      {pointed !== null && <HighlightedBand area={area} index={pointed} />}
      {points.map(({ label, values }, index) => (
        <g key={label} data-bar={label}>
          {stack(names, values).map(({ name, from, to }) => (
            <rect
              key={name}
              {...horizontalExtent(area, index)}
              {...verticalExtent(area, from, to)}
              fill={fills.get(name)}
            />
          ))}
        </g>
      ))}
    </>
  );
}

function HighlightedBand({ area, index }: { area: PlotArea; index: number }) {
  const { pitch, top, bottom } = area;
  return (
    <rect
      className={classes.band}
      x={area.x(index) - pitch / 2}
      y={top}
      width={pitch}
      height={bottom - top}
    />
  );
}

/** Whole pixels for sharp edges, unless bars are too thin. */
function horizontalExtent(area: PlotArea, index: number): { x: number; width: number } {
  const width = Math.min(WIDTH_MAX, area.pitch * WIDTH_SHARE);
  if (width < 3) return { x: area.x(index) - width / 2, width };
  return { x: Math.round(area.x(index) - width / 2), width: Math.round(width) };
}

const verticalExtent = (area: PlotArea, from: number, to: number) => ({
  y: area.y(to),
  height: area.y(from) - area.y(to),
});
