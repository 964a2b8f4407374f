"use client";

import { LineChart } from "@mantine/charts";
import "@mantine/charts/styles.css";

import { asRate } from "./numbers.ts";
import { type Point, type Series, ticksOf } from "./series.ts";
import { Tip } from "./tip.tsx";

/** Above the highest value, so that the line is not at the edge. */
const ROOM = 1.15;
const AXIS_MIN = 0.01;

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
  const highest = Math.max(AXIS_MIN, ...points.map(({ values }) => values[name] ?? 0));
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
        domain: [0, Math.min(1, highest * ROOM)],
        width: 48,
        tickCount: 4,
        tickFormatter: (value: number) => asRate(value),
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
