import classes from "./reports.module.css";

const counts = new Intl.NumberFormat("en");
const shares = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export const formatCount = (count: number) => counts.format(count);

/** A percentage that never rounds up to 100% or down to 0%. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part / whole;
  const rounded = shares.format(share);
  if (rounded === "100%" && part < whole) return "> 99.9%";
  return rounded === "0%" && part > 0 ? "< 0.1%" : rounded;
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
