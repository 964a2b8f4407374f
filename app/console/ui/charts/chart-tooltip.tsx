import classes from "./charts.module.css";
import { ToneSwatch } from "./patterns.tsx";
import type { Point, Series } from "./series.ts";

type TooltipContent = { point: Point; series: Series; formatValue: (value: number) => string };

/** Fixed, so that the tooltip doesn't jump between points. */
const WIDTH = 216;
const GAP = 20;

export function ChartTooltip({
  point,
  series,
  formatValue,
  at,
  isPastMiddle,
}: TooltipContent & {
  /** Pixels from the chart's left edge. */
  at: number;
  isPastMiddle: boolean;
}) {
  // Beside the point if there is room, otherwise over it, and always within the chart.
  const left = isPastMiddle
    ? `max(0px, ${at - GAP - WIDTH}px)`
    : `min(${at + GAP}px, 100% - ${WIDTH}px)`;
  return (
    <div className={classes.tip} style={{ left, width: WIDTH }} aria-hidden="true">
      <div className={classes.tipTitle}>{point.label}</div>
      {series.toReversed().map(({ name, label, tone }) => (
        <div key={name} className={classes.tipRow}>
          <ToneSwatch tone={tone} />
          <span className={classes.tipWord}>{label}</span>
          <span>{valueText(point.values[name], formatValue)}</span>
        </div>
      ))}
    </div>
  );
}

/** The tooltip's content for screen readers. */
export const tooltipText = ({ point, series, formatValue }: TooltipContent): string =>
  `${point.label}: ${series
    .map(({ name, label }) => `${label} ${valueText(point.values[name], formatValue)}`)
    .join(", ")}`;

const valueText = (value: number | undefined, asValue: TooltipContent["formatValue"]) =>
  value === undefined ? "no emails" : asValue(value);
