import classes from "./charts.module.css";
import { Swatch } from "./patterns.tsx";
import type { Point, Series } from "./series.ts";

/** What a chart says where the pointer is: every number with its word. */
export function Tip({
  point,
  series,
  format,
}: {
  point: Point;
  series: Series;
  format: (value: number) => string;
}) {
  return (
    <div className={classes.tip}>
      <div className={classes.tipTitle}>{point.label}</div>
      {series.toReversed().map(({ name, label, meaning }) => {
        const value = point.values[name];
        return (
          <div key={name} className={classes.tipRow}>
            <Swatch meaning={meaning} />
            <span className={classes.tipWord}>{label}</span>
            <span>{value === undefined ? "no emails" : format(value)}</span>
          </div>
        );
      })}
    </div>
  );
}
