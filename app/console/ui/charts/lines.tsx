"use client";

import { LineChart } from "@mantine/charts";
import "@mantine/charts/styles.css";

import { asRate, asTick } from "./numbers.ts";
import { type Point, type Series, ticksOf } from "./series.ts";
import { Tip } from "./tip.tsx";

/** Where an axis may end, so that its ticks are round. */
const AXIS_ENDS = [0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 1];

/** One rate over time. For the eye only: the table beside it has the same numbers. */
export default function Lines({
  points,
  series,
  height,
}: {
  points: Point[];
  series: Series;
  height: number;
}) {
  const [{ name, label, meaning }] = series as [Series[number]];
  const highest = Math.max(...points.map(({ values }) => values[name] ?? 0));
  const end = AXIS_ENDS.find((end) => end >= highest) ?? 1;
  return (
    <LineChart
      h={height}
      data={points.map(({ label, values }) => ({ label, [name]: values[name] ?? null }))}
      dataKey="label"
      series={[{ name, label, color: `var(--status-${meaning})` }]}
      curveType="linear"
      // A line of one point is none.
      withDots={points.length < 32}
      dotProps={{ r: 2.5 }}
      connectNulls
      strokeWidth={2}
      tickLine="none"
      gridAxis="x"
      xAxisProps={{ minTickGap: 24, interval: "preserveStartEnd", tickFormatter: ticksOf(points) }}
      yAxisProps={{
        domain: [0, end],
        width: 48,
        ticks: [0, end / 2, end],
        tickFormatter: asTick,
      }}
      tooltipProps={{
        content: ({ payload }) => {
          const point = points.find(({ label }) => label === labelOf(payload[0]?.payload));
          return point ? <Tip point={point} series={series} format={asRate} /> : null;
        },
      }}
      lineChartProps={{ accessibilityLayer: false }}
      lineProps={{ isAnimationActive: false }}
    />
  );
}

/** Of what recharts hands back, which is a row of the data. */
const labelOf = (row: unknown) => (row as { label: string } | undefined)?.label;
