import { numberFormatter } from "#app/console/ui/format.ts";

import classes from "./reports.module.css";

const formatPercent = numberFormatter({ style: "percent", maximumFractionDigits: 1 });

/** A percentage that never rounds up to 100% or down to 0%. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part / whole;
  const rounded = formatPercent(share);
  if (rounded === formatPercent(1) && part < whole) return `> ${formatPercent(0.999)}`;
  return rounded === formatPercent(0) && part > 0 ? `< ${formatPercent(0.001)}` : rounded;
}

export function ReportFigures({ figures }: { figures: [name: string, value: string][] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(([name, value]) => (
        <div key={name} className={classes.figure}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
