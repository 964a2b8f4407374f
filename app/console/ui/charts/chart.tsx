"use client";

import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";
import type { ReactNode } from "react";

import classes from "./charts.module.css";
import type { Point, Series } from "./series.ts";

export const BARS_HEIGHT = 240;
export const LINES_HEIGHT = 132;

// Charts are most of a page's code: they come after the numbers.
const Bars = dynamic(() => import("./bars.tsx"), {
  ssr: false,
  loading: () => <Skeleton height={BARS_HEIGHT} />,
});
const Lines = dynamic(() => import("./lines.tsx"), {
  ssr: false,
  loading: () => <Skeleton height={LINES_HEIGHT} />,
});

type Drawn = { points: Point[]; series: Series };

/** Counts upon each other, by period. The same numbers must stand beside it as words. */
export function BarsByPeriod(drawn: Drawn) {
  return (
    <div className={classes.chart} style={{ minHeight: BARS_HEIGHT }} aria-hidden="true">
      <Bars {...drawn} height={BARS_HEIGHT} />
    </div>
  );
}

/** One rate by period. The same numbers must stand beside it as words. */
export function LineByPeriod(drawn: Drawn) {
  return (
    <div className={classes.chart} style={{ minHeight: LINES_HEIGHT }} aria-hidden="true">
      <Lines {...drawn} height={LINES_HEIGHT} />
    </div>
  );
}

/** A column of the table beside a chart. */
export type NumberColumn = { name: string; label: string };

/** The numbers of a chart, for whoever does not see it, and to look one up. */
export function NumbersTable({
  what,
  first,
  columns,
  rows,
}: {
  /** Names the table. */
  what: string;
  /** What the rows stand for: "Day". */
  first: string;
  columns: NumberColumn[];
  rows: { key: string; head: ReactNode; cells: Record<string, ReactNode> }[];
}) {
  return (
    <details className={classes.numbers}>
      <summary>The same as a table</summary>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={what}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{first}</th>
              {columns.map(({ name, label }) => (
                <th key={name} scope="col" data-number>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, head, cells }) => (
              <tr key={key}>
                <th scope="row">{head}</th>
                {columns.map(({ name }) => (
                  <td key={name} data-number>
                    {cells[name]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
