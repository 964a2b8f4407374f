"use client";

import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";

import classes from "./charts.module.css";
import { type PlotArea, createPlotArea, visibleTicks } from "./scale.ts";
import { type Point, type Series, ToneSwatch } from "./series.tsx";

/** Passed to the drawing: the layout, and the point under the pointer. */
export type PlotContext = { area: PlotArea; pointed: number | null };

/**
 * A chart's axes and its tooltip. For keyboards and screen readers it is a slider over its points, with
 * each point's numbers as its value.
 */
export function ChartPlot({
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
          {...{ point: points[pointed]!, series, formatValue }}
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

/** Gridlines with their values, and the labels of the x axis. */
function ChartAxes({
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

function ChartTooltip({
  point,
  series,
  formatValue,
  at,
  isPastMiddle,
}: TooltipContent & {
  /** Pixels from the chart's left edge. */
  at: number;
  isPastMiddle: boolean;
}) {
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
