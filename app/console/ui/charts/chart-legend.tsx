import Link from "next/link";

import classes from "./charts.module.css";
import { formatCount } from "./number-format.ts";
import { Swatch } from "./patterns.tsx";
import type { Series } from "./series.ts";

/** The words of a chart's patterns, each with its sum, which leads to what it counts where there is such a page. */
export function ChartLegend({
  series,
  totals,
  hrefOf,
}: {
  series: Series;
  totals: Record<string, number>;
  hrefOf?: (name: string) => string;
}) {
  return (
    <ul className={classes.legend}>
      {series.map(({ name, label, tone }) => {
        const entry = (
          <>
            <Swatch tone={tone} />
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
}
