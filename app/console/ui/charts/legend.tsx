import Link from "next/link";

import classes from "./charts.module.css";
import { inFull } from "./numbers.ts";
import { Swatch } from "./patterns.tsx";
import type { Series } from "./series.ts";

/** The words of a chart's patterns, each with its sum, which leads to what it counts. */
export function Legend({
  series,
  sums,
  hrefOf,
}: {
  series: Series;
  sums: Record<string, number>;
  hrefOf: (name: string) => string;
}) {
  return (
    <ul className={classes.legend}>
      {series.map(({ name, label, meaning }) => (
        <li key={name}>
          <Link href={hrefOf(name)} className={classes.legendEntry}>
            <Swatch meaning={meaning} />
            {label}
            <span className={classes.sum}>{inFull(sums[name] ?? 0)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
