"use client";

import { BarChart } from "@mantine/charts";
import "@mantine/charts/styles.css";

import { inFull, inShort } from "./numbers.ts";
import { ChartPatterns, fillOf } from "./patterns.tsx";
import { type Point, type Series, ticksOf } from "./series.ts";
import { Tip } from "./tip.tsx";

/** Bars upon each other. For the eye only: the table beside it has the same numbers. */
export default function Bars({
  points,
  series,
  height,
}: {
  points: Point[];
  series: Series;
  height: number;
}) {
  return (
    <BarChart
      h={height}
      data={points.map(({ label, values }) => ({ label, ...values }))}
      dataKey="label"
      series={series.map(({ name, label, meaning }) => ({ name, label, color: fillOf(meaning) }))}
      type="stacked"
      tickLine="none"
      gridAxis="x"
      xAxisProps={{ minTickGap: 16, interval: "preserveStartEnd", tickFormatter: ticksOf(points) }}
      yAxisProps={{ allowDecimals: false, domain: [0, "auto"], width: 44, tickFormatter: inShort }}
      tooltipProps={{
        content: ({ payload }) => {
          const point = points.find(({ label }) => label === labelOf(payload[0]?.payload));
          return point ? <Tip point={point} series={series} format={inFull} /> : null;
        },
      }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      maxBarWidth={32}
    >
      <ChartPatterns />
    </BarChart>
  );
}

/** Of what recharts hands back, which is a row of the data. */
const labelOf = (row: unknown) => (row as { label: string } | undefined)?.label;
