"use client";

import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";

import { ChartAxes } from "./axes.tsx";
import classes from "./charts.module.css";
import { type PlotArea, createPlotArea } from "./plot-area.ts";
import type { Point, Series } from "./series.ts";
import { maxTextWidth } from "./text-width.ts";
import { ChartTooltip, tooltipText } from "./chart-tooltip.tsx";

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
  ...{ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 },
  ...{ PageUp: 7, PageDown: -7, Home: -Infinity, End: Infinity },
};

/** Null for other keys. */
function indexAfter(key: string, now: number, last: number): number | null {
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(last, now + step));
}
