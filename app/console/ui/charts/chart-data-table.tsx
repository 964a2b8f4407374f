import type { ReactNode } from "react";

import classes from "./charts.module.css";

/** A column of the table beside a chart. */
export type ChartDataColumn = { name: string; label: string };

/** The numbers of a chart, for whoever does not see it, and to look one up. */
export function ChartDataTable({
  label,
  rowHeader,
  columns,
  rows,
}: {
  /** Names the table. */
  label: string;
  /** What the rows stand for: "Day". */
  rowHeader: string;
  columns: ChartDataColumn[];
  rows: { key: string; head: ReactNode; cells: Record<string, ReactNode> }[];
}) {
  return (
    <details className={classes.numbers}>
      <summary>The same as a table</summary>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{rowHeader}</th>
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
