import classes from "./charts.module.css";
import { Swatch } from "./patterns.tsx";
import type { Point, Series } from "./series.ts";

type Said = { point: Point; series: Series; asValue: (value: number) => string };

/** The same whatever it says: nothing jumps from point to point. */
const WIDTH = 216;
const GAP = 20;

/** What a chart says where one points: every number with its word. */
export function Tip({
  point,
  series,
  asValue,
  at,
  isPastMiddle,
}: Said & {
  /** Pixels from the chart's left edge. */
  at: number;
  isPastMiddle: boolean;
}) {
  // Beside the point where there is room, else over it; never beyond the chart.
  const left = isPastMiddle
    ? `max(0px, ${at - GAP - WIDTH}px)`
    : `min(${at + GAP}px, 100% - ${WIDTH}px)`;
  return (
    <div className={classes.tip} style={{ left, width: WIDTH }} aria-hidden="true">
      <div className={classes.tipTitle}>{point.label}</div>
      {series.toReversed().map(({ name, label, meaning }) => (
        <div key={name} className={classes.tipRow}>
          <Swatch meaning={meaning} />
          <span className={classes.tipWord}>{label}</span>
          <span>{valueInWords(point.values[name], asValue)}</span>
        </div>
      ))}
    </div>
  );
}

/** The same for whoever does not see it. */
export const tipInWords = ({ point, series, asValue }: Said): string =>
  `${point.label}: ${series
    .map(({ name, label }) => `${label} ${valueInWords(point.values[name], asValue)}`)
    .join(", ")}`;

const valueInWords = (value: number | undefined, asValue: Said["asValue"]) =>
  value === undefined ? "no emails" : asValue(value);
