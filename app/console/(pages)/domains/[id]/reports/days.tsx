"use client";

import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";

import { type Meaning, Status } from "#app/console/ui/status.tsx";

import { inWords } from "./figures.tsx";
import classes from "./reports.module.css";

export type Day = { day: string } & Record<string, string | number>;
/** What is counted by day, from the axis upwards. */
export type Series = { name: string; label: string; meaning: Meaning }[];

// Charts are most of the page's code, and wanted on one tab of one page.
const DaysChart = dynamic(() => import("./days-chart.tsx"), {
  ssr: false,
  loading: () => <Skeleton height={220} />,
});

/** Counts by day: bars, and a table of the same numbers. */
export function Days({ days, series, what }: { days: Day[]; series: Series; what: string }) {
  return (
    <div>
      <div className={classes.legend}>
        {series.map(({ name, label, meaning }) => (
          <Status key={name} word={label} meaning={meaning} />
        ))}
      </div>
      <div className={classes.chart} aria-hidden="true">
        <DaysChart days={days} series={series} />
      </div>
      <details className={classes.numbers}>
        <summary>The same as a table</summary>
        <table className={classes.table} aria-label={what}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name, label }) => (
                <th key={name} scope="col" className={classes.number}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{day.day}</th>
                {series.map(({ name }) => (
                  <td key={name} className={classes.number}>
                    {inWords(Number(day[name]))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}
