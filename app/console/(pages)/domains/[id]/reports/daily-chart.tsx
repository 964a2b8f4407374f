"use client";

import { BarsByPeriod } from "#app/console/ui/charts/bars.tsx";
import { Legend } from "#app/console/ui/charts/legend.tsx";
import { inFull } from "#app/console/ui/charts/numbers.ts";
import { NumbersTable } from "#app/console/ui/charts/numbers-table.tsx";
import type { Series } from "#app/console/ui/charts/series.ts";

export type Day = { day: string } & Record<string, string | number>;

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
const tick = format({ day: "numeric", month: "short" });
const label = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** Counts per day as a bar chart and a table. */
export function DailyChart({ days, series, what }: { days: Day[]; series: Series; what: string }) {
  const points = days.map((day) => {
    const midnight = new Date(`${day.day}T00:00:00Z`);
    return {
      ...{ label: label.format(midnight), tick: tick.format(midnight) },
      values: Object.fromEntries(series.map(({ name }) => [name, Number(day[name])])),
    };
  });
  const sumOf = (name: string) => points.reduce((sum, { values }) => sum + values[name]!, 0);
  return (
    <div>
      <Legend
        series={series}
        sums={Object.fromEntries(series.map(({ name }) => [name, sumOf(name)]))}
      />
      <BarsByPeriod what={what} points={points} series={series} />
      <NumbersTable
        what={what}
        first="Day"
        columns={series}
        rows={points
          .map(({ label, values }) => ({
            ...{ key: label, head: label },
            cells: Object.fromEntries(series.map(({ name }) => [name, inFull(values[name]!)])),
          }))
          .toReversed()}
      />
    </div>
  );
}
