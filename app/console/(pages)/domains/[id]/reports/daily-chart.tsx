"use client";

import { BarChart } from "#app/console/ui/charts/charts.tsx";
import { formatCount, dateFormatter } from "#app/console/ui/format.ts";
import { ChartDataTable, ChartLegend, type Series } from "#app/console/ui/charts/series.tsx";

export type Day = { day: string } & Record<string, string | number>;

const format = (options: Intl.DateTimeFormatOptions) =>
  dateFormatter({ ...options, timeZone: "UTC" });
const tick = format({ day: "numeric", month: "short" });
const label = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** Counts per day as a bar chart and a table. */
export function DailyChart({ days, series, what }: { days: Day[]; series: Series; what: string }) {
  const points = days.map((day) => {
    const midnight = new Date(`${day.day}T00:00:00Z`);
    return {
      label: label(midnight),
      tick: tick(midnight),
      values: Object.fromEntries(series.map(({ name }) => [name, Number(day[name])])),
    };
  });
  const sumOf = (name: string) => points.reduce((sum, { values }) => sum + values[name]!, 0);
  return (
    <div>
      <ChartLegend
        series={series}
        totals={Object.fromEntries(series.map(({ name }) => [name, sumOf(name)]))}
      />
      <BarChart label={what} points={points} series={series} />
      <ChartDataTable
        label={what}
        rowHeader="Day"
        columns={series}
        rows={points
          .map(({ label, values }) => ({
            key: label,
            head: label,
            cells: Object.fromEntries(series.map(({ name }) => [name, formatCount(values[name]!)])),
          }))
          .toReversed()}
      />
    </div>
  );
}
