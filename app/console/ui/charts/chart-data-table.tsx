import type { ReactNode } from "react";

import classes from "./charts.module.css";

export type ChartDataColumn = { name: string; label: string };

/** A chart's numbers, for screen readers and for exact values. */
export function ChartDataTable({
  label,
  rowHeader,
  columns,
  rows,
}: {
  /** Accessible name. */
  label: string;
  /** Header of the first column: "Day". */
  rowHeader: string;
  columns: ChartDataColumn[];
  rows: { key: string; head: ReactNode; cells: Record<string, ReactNode> }[];
}) {
  return (
    <details className={classes.numbers}>
      <summary>Show as table</summary>
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
