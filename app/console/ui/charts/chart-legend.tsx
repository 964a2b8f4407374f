import Link from "next/link";

import classes from "./charts.module.css";
import { formatCount } from "#app/console/ui/format.ts";
import { ToneSwatch } from "./patterns.tsx";
import type { Series } from "./series.ts";

/** A chart's series with their totals, linked where `hrefOf` is given. */
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
}
