"use client";

import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";

import { Axes } from "./axes.tsx";
import classes from "./charts.module.css";
import { type PlotArea, createPlotArea } from "./plot-area.ts";
import type { Point, Series } from "./series.ts";
import { maxTextWidth } from "./text-width.ts";
import { ChartTooltip, tooltipText } from "./chart-tooltip.tsx";

/** What a chart draws within, and where one points. */
export type PlotContext = { area: PlotArea; pointed: number | null };

/**
 * A chart's axes, and what it says of the point under the pointer. With the keyboard it is walked by the
 * arrows, as a slider of its points, which says each.
 */
export function Plot({
  label,
  points,
  series,
  height,
  gridlines,
  formatTick,
  formatValue,
  children,
}: {
  /** Names the chart. */
  label: string;
  points: Point[];
  series: Series;
  height: number;
  /** Values of the lines across, from zero. */
  gridlines: number[];
  formatTick: (value: number) => string;
  formatValue: (value: number) => string;
  children: (drawing: PlotContext) => ReactNode;
}) {
  const { ref, width } = useElementSize();
  const [wanted, point] = useState<number | null>(null);
  const last = points.length - 1;
  // There may be fewer after a refresh.
  const pointed = wanted === null ? null : Math.min(wanted, last);
  const area = createPlotArea({
    width,
    height,
    count: points.length,
    labelWidth: width > 0 ? maxTextWidth(gridlines.map(formatTick)) : 0,
    max: gridlines.at(-1)!,
  });

  function handlePointer({ clientX, currentTarget }: PointerEvent<HTMLElement>) {
    const within = clientX - currentTarget.getBoundingClientRect().left;
    point(area.indexAt(within));
  }

  function handleKey(event: KeyboardEvent) {
    if (event.key === "Escape") point(null);
    const next = indexAfter(event.key, pointed ?? last, last);
    if (next === null) return;
    event.preventDefault();
    point(next);
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
      // A finger has left when it is lifted, and wants to read then.
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && point(null)}
      onFocus={({ target }) => target.matches(":focus-visible") && point(pointed ?? last)}
      onBlur={() => point(null)}
      onKeyDown={handleKey}
    >
      {width > 0 && (
        <svg width={width} height={height} aria-hidden="true">
          <Axes area={area} points={points} gridlines={gridlines} formatTick={formatTick} />
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

/** Null where the key moves nothing. */
function indexAfter(key: string, now: number, last: number): number | null {
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(last, now + step));
}
