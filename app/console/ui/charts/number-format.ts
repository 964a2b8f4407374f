const full = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** "12,345" */
export const formatCount = (count: number): string => full.format(count);

/** "12.3K", for an axis. */
export const formatCompactCount = (count: number): string => short.format(count);

/** Below it, one decimal would hide what matters: bounces and complaints are judged by less. */
const FINE_BELOW = 0.1;

/** "97.2%", "94.0%", "0.08%": as many decimals in each row of a table; none and all have no need of them. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate === 1) return `${rate * 100}%`;
  return `${(rate * 100).toFixed(rate < FINE_BELOW ? 2 : 1)}%`;
}

/** "50%", "0.5%", for an axis, whose ticks are round. */
export const formatRateTick = (rate: number): string => `${trimmed((rate * 100).toFixed(2))}%`;

const trimmed = (decimals: string) => decimals.replace(/\.?0+$/, "");

/** A share that is 0 of nothing is none. */
export const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.min(1, part / whole);

/** Of less, a share says little. */
const FEW = 10;

/** How a count compares with the time before: "12% more", "as many"; null where there is nothing to compare with. */
export function describeCountChange(now: number, before: number): string | null {
  if (before === 0) return now === 0 ? null : "none before";
  const change = Math.round(((now - before) / before) * 100);
  if (change === 0) return "as many as before";
  if (before < FEW) return `${full.format(before)} before`;
  return `${full.format(Math.abs(change))}% ${change > 0 ? "more" : "fewer"} than ${full.format(before)}`;
}

/** How a rate compares with the time before, in points of a per cent. */
export function describeRateChange(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  const points = Math.abs(now - before) * 100;
  if (points < 0.005) return "as before";
  const digits = points < 1 ? 2 : 1;
  return `${trimmed(points.toFixed(digits))} points ${now > before ? "up" : "down"} from ${formatRate(before)}`;
}
