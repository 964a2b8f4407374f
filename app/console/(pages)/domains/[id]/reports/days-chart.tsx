"use client";

import { BarChart } from "@mantine/charts";
import "@mantine/charts/styles.css";

import type { Day, Series } from "./days.tsx";

const HEIGHT = 220;

const dayOfMonth = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const shownDay = (day: string) => dayOfMonth.format(new Date(`${day}T00:00:00Z`));

/** Bars by day. For the eye only: the table beside it has the same numbers. */
export default function DaysChart({ days, series }: { days: Day[]; series: Series }) {
  const bars = series.map(({ name, label, meaning }) => ({
    ...{ name, label },
    color: `var(--status-${meaning})`,
  }));
  return (
    <BarChart
      h={HEIGHT}
      data={days}
      dataKey="day"
      series={bars}
      type="stacked"
      withLegend={false}
      tickLine="none"
      gridAxis="x"
      valueFormatter={(value) => value.toLocaleString("en")}
      xAxisProps={{ tickFormatter: shownDay, minTickGap: 24 }}
      yAxisProps={{ allowDecimals: false, domain: [0, "auto"], width: 44 }}
      tooltipProps={{
        labelFormatter: (label) => (typeof label === "string" ? shownDay(label) : ""),
      }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      maxBarWidth={28}
    />
  );
}
