import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";

import {
  formatCompactCount,
  formatCount,
  formatRate,
  formatRateTick,
} from "#app/console/ui/format.ts";

import classes from "./charts.module.css";
import {
  countGridlines,
  createPlotArea,
  type PlotArea,
  rateGridlines,
  stack,
  visibleTicks,
} from "./scale.ts";
import { type Point, type Series, ToneSwatch, usePatterns } from "./series.tsx";

export const BAR_CHART_HEIGHT = 240;

const WIDTH_MAX = 32;

/** Share of the space per point. */
const WIDTH_SHARE = 0.72;

type BarChartProps = {
  /** Accessible name. */
  label: string;
  points: Point[];
  series: Series;
};

/** Stacked counts by period. Show the same numbers in a `ChartDataTable` next to it. */
export function BarChart({ label, points, series }: BarChartProps) {
  const names = series.map(({ name }) => name);
  const highest = Math.max(0, ...points.map(({ values }) => stack(names, values).at(-1)?.to ?? 0));
  return (
    <ChartPlot
      label={label}
      points={points}
      series={series}
      height={BAR_CHART_HEIGHT}
      gridlines={countGridlines(highest)}
      formatTick={formatCompactCount}
      formatValue={formatCount}
    >
      {(drawing) => <ChartBars points={points} series={series} {...drawing} />}
    </ChartPlot>
  );
}

type ChartBarsProps = { points: Point[]; series: Series } & PlotContext;

function ChartBars({ points, series, area, pointed }: ChartBarsProps) {
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

export const LINE_CHART_HEIGHT = 132;

/** More dots would merge into a thick line. */
const DOTS_MAX = 31;

type LineChartProps = {
  /** Accessible name. */
  label: string;
  points: Point[];
  series: Series[number];
};

/** One rate by period. Show the same numbers in a `ChartDataTable` next to it. */
export function LineChart({ label, points, series }: LineChartProps) {
  const highest = Math.max(0, ...points.map(({ values }) => values[series.name] ?? 0));
  return (
    <ChartPlot
      label={label}
      points={points}
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

type ChartLineProps = { points: Point[]; series: Series[number] } & PlotContext;

/** Skips periods without a value, such as days without emails. */
function ChartLine({ points, series: { name, tone }, area, pointed }: ChartLineProps) {
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

/** Passed to the drawing: the layout, and the point under the pointer. */
type PlotContext = { area: PlotArea; pointed: number | null };

/**
 * A chart's axes and its tooltip. For keyboards and screen readers it is a slider over its points, with
 * each point's numbers as its value.
 */
function ChartPlot({
  label,
  points,
  series,
  height,
  gridlines,
  formatTick,
  formatValue,
  children,
}: {
  /** Accessible name. */
  label: string;
  points: Point[];
  series: Series;
  height: number;
  /** Values of the gridlines, from zero. */
  gridlines: number[];
  formatTick: (value: number) => string;
  formatValue: (value: number) => string;
  children: (drawing: PlotContext) => ReactNode;
}) {
  const { ref, width } = useElementSize();
  const [selected, select] = useState<number | null>(null);
  const last = points.length - 1;
  // A refresh may have removed points.
  const pointed = selected === null ? null : Math.min(selected, last);
  const area = createPlotArea({
    width,
    height,
    count: points.length,
    labelWidth: width > 0 ? maxTextWidth(gridlines.map(formatTick)) : 0,
    max: gridlines.at(-1)!,
  });

  function handlePointer({ clientX, currentTarget }: PointerEvent<HTMLElement>) {
    const within = clientX - currentTarget.getBoundingClientRect().left;
    select(area.indexAt(within));
  }

  function handleKey(event: KeyboardEvent) {
    if (event.key === "Escape") select(null);
    const next = indexAfter(event.key, pointed ?? last, last);
    if (next === null) return;
    event.preventDefault();
    select(next);
  }

  return (
    <div
      ref={ref}
      className={classes.plot}
      style={{ height }}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={(pointed ?? last) + 1}
      aria-valuetext={tooltipText({ point: points[pointed ?? last]!, series, formatValue })}
      onPointerDown={handlePointer}
      onPointerMove={handlePointer}
      // Touch pointers leave when lifted: keep the tooltip so that it can be read.
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && select(null)}
      onFocus={({ target }) => target.matches(":focus-visible") && select(pointed ?? last)}
      onBlur={() => select(null)}
      onKeyDown={handleKey}
    >
      {width > 0 && (
        <svg width={width} height={height} aria-hidden="true">
          <ChartAxes area={area} points={points} gridlines={gridlines} formatTick={formatTick} />
          {children({ area, pointed })}
        </svg>
      )}
      {pointed !== null && (
        <ChartTooltip
          point={points[pointed]!}
          series={series}
          formatValue={formatValue}
          at={area.x(pointed)}
          isPastMiddle={pointed > last / 2}
        />
      )}
    </div>
  );
}

const STEPS: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 7,
  PageDown: -7,
  Home: -Infinity,
  End: Infinity,
};

/** Null for other keys. */
function indexAfter(key: string, now: number, last: number): number | null {
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(last, now + step));
}

const TICK_GAP = 16;

type ChartAxesProps = {
  area: PlotArea;
  points: Point[];
  gridlines: number[];
  formatTick: (value: number) => string;
};

/** Gridlines with their values, and the labels of the x axis. */
function ChartAxes({ area, points, gridlines, formatTick }: ChartAxesProps) {
  const ticks = points.map(({ tick }) => tick);
  const widest = maxTextWidth(ticks);
  // The first and last labels shift inwards to stay within the chart, towards their neighbors.
  const room = widest + TICK_GAP + Math.max(0, (widest - area.pitch) / 2);
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

type TooltipContent = { point: Point; series: Series; formatValue: (value: number) => string };

/** Fixed, so that the tooltip doesn't jump between points. */
const TOOLTIP_WIDTH = 216;

const TOOLTIP_GAP = 20;

type ChartTooltipProps = TooltipContent & {
  /** Pixels from the chart's left edge. */
  at: number;
  isPastMiddle: boolean;
};

function ChartTooltip({ point, series, formatValue, at, isPastMiddle }: ChartTooltipProps) {
  // Beside the point if there is room, otherwise over it, and always within the chart.
  const left = isPastMiddle
    ? `max(0px, ${at - TOOLTIP_GAP - TOOLTIP_WIDTH}px)`
    : `min(${at + TOOLTIP_GAP}px, 100% - ${TOOLTIP_WIDTH}px)`;
  return (
    <div className={classes.tip} style={{ left, width: TOOLTIP_WIDTH }} aria-hidden="true">
      <div className={classes.tipTitle}>{point.label}</div>
      {series.toReversed().map(({ name, label, tone }) => (
        <div key={name} className={classes.tipRow}>
          <ToneSwatch tone={tone} />
          <span className={classes.tipWord}>{label}</span>
          <span>{valueText(point.values[name], formatValue)}</span>
        </div>
      ))}
    </div>
  );
}

/** The tooltip's content for screen readers. */
const tooltipText = ({ point, series, formatValue }: TooltipContent): string =>
  `${point.label}: ${series
    .map(({ name, label }) => `${label} ${valueText(point.values[name], formatValue)}`)
    .join(", ")}`;

const valueText = (value: number | undefined, asValue: TooltipContent["formatValue"]) =>
  value === undefined ? "no emails" : asValue(value);

const FONT_PX = 12;

let context: CanvasRenderingContext2D | null = null;

/** Width in pixels of the widest text on an axis, in the reader's font. */
function maxTextWidth(texts: string[]): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = `${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
  const widths = texts.map((text) => context!.measureText(text).width);
  return Math.ceil(Math.max(0, ...widths));
}
