import Link from "next/link";
import { type ReactNode, useId } from "react";

import { formatCount } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import classes from "./charts.module.css";

/** Series from the axis upwards. The tone sets color and pattern. */
export type Series = { name: string; label: string; tone: StatusTone }[];

export type Point = {
  /** Unique. */
  label: string;
  /** Short label for the axis. */
  tick: string;
  values: Record<string, number>;
};

const SIZE = 6;

/** Patterns over the colors, so that color is never the only difference. Tones without one are solid. */
const marks: Partial<Record<StatusTone, string>> = {
  failed: `M0 ${SIZE}L${SIZE} 0M-1 1L1 -1M${SIZE - 1} ${SIZE + 1}L${SIZE + 1} ${SIZE - 1}`,
  waiting: `M0 ${SIZE / 2}H${SIZE}`,
  none: `M${SIZE / 2} 0V${SIZE}`,
};

const MARKED = Object.keys(marks) as StatusTone[];

/** SVG pattern definitions for one drawing, and the fill for each tone. */
export function usePatterns(): { patterns: ReactNode; fillOf: (tone: StatusTone) => string } {
  const id = useId();
  return {
    patterns: (
      <defs>
        {MARKED.map((tone) => (
          <TonePattern key={tone} id={`${id}-${tone}`} tone={tone} />
        ))}
      </defs>
    ),
    fillOf: (tone) => (marks[tone] === undefined ? `var(--status-${tone})` : `url(#${id}-${tone})`),
  };
}

const TonePattern = ({ id, tone }: { id: string; tone: StatusTone }) => (
  <pattern id={id} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
    <rect width={SIZE} height={SIZE} fill={`var(--status-${tone})`} />
    <path d={marks[tone]} stroke="var(--surface)" strokeWidth={1.2} strokeOpacity={0.75} />
  </pattern>
);

/** A tone's color and pattern beside a label. */
export function ToneSwatch({ tone }: { tone: StatusTone }) {
  const { patterns, fillOf } = usePatterns();
  return (
    <svg width={12} height={12} aria-hidden="true" style={{ flex: "none" }}>
      {patterns}
      <rect width={12} height={12} rx={2} fill={fillOf(tone)} />
    </svg>
  );
}

type ChartLegendProps = {
  series: Series;
  totals: Record<string, number>;
  hrefOf?: (name: string) => string;
};

/** A chart's series with their totals, linked where `hrefOf` is given. */
export const ChartLegend = ({ series, totals, hrefOf }: ChartLegendProps) => (
  <ul className={classes.legend}>
    {series.map(({ name, label, tone }) => {
      const entry = (
        <>
          <ToneSwatch tone={tone} />
          {label}
          <span className={classes.sum}>{formatCount(totals[name] ?? 0)}</span>
        </>
      );
      return (
        <li key={name}>
          {hrefOf ? (
            <Link href={hrefOf(name)} className={classes.legendEntry}>
              {entry}
            </Link>
          ) : (
            <span className={classes.legendEntry}>{entry}</span>
          )}
        </li>
      );
    })}
  </ul>
);

type ChartDataColumn = { name: string; label: string };

type ChartDataTableProps = {
  /** Accessible name. */
  label: string;
  /** Header of the first column: "Day". */
  rowHeader: string;
  columns: ChartDataColumn[];
  rows: { key: string; head: ReactNode; cells: Record<string, ReactNode> }[];
};

/** A chart's numbers, for screen readers and for exact values. */
export const ChartDataTable = ({ label, rowHeader, columns, rows }: ChartDataTableProps) => (
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
