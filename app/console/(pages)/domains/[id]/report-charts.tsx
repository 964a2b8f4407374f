import { Skeleton } from "@mantine/core";

import { BarChart } from "#app/console/ui/charts/charts.tsx";
import { ChartDataTable, ChartLegend, type Series } from "#app/console/ui/charts/series.tsx";
import { dateFormatter, formatCount, numberFormatter } from "#app/console/ui/format.ts";

import classes from "./domain-reports.module.css";

const formatPercent = numberFormatter({ style: "percent", maximumFractionDigits: 1 });

/** A percentage that never rounds up to 100% or down to 0%. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part / whole;
  const rounded = formatPercent(share);
  if (rounded === formatPercent(1) && part < whole) return `> ${formatPercent(0.999)}`;
  return rounded === formatPercent(0) && part > 0 ? `< ${formatPercent(0.001)}` : rounded;
}

export const ReportFigures = ({ figures }: { figures: [name: string, value: string][] }) => (
  <dl className={classes.figures}>
    {figures.map(([name, value]) => (
      <div key={name} className={classes.figure}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

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

export const ReportsSkeleton = () => (
  <>
    <Skeleton height={32} width={240} mb={28} />
    <Skeleton height={220} />
  </>
);
