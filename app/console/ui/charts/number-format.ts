const full = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** "12,345" */
export const formatCount = (count: number): string => full.format(count);

/** "12.3K", for an axis. */
export const formatCompactCount = (count: number): string => short.format(count);

/** Rates below this show two decimals: bounce and complaint rates are judged by hundredths. */
const FINE_BELOW = 0.1;

/** "97.2%", "94.0%", "0.08%"; "0%" and "100%" have no decimals. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate === 1) return `${rate * 100}%`;
  return `${(rate * 100).toFixed(rate < FINE_BELOW ? 2 : 1)}%`;
}

/** "50%", "0.5%", for an axis. */
export const formatRateTick = (rate: number): string => `${trimZeros((rate * 100).toFixed(2))}%`;

const trimZeros = (decimals: string) => decimals.replace(/\.?0+$/, "");

/** `part / whole`, at most 1; null if `whole` is 0. */
export const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.min(1, part / whole);

/** Smaller counts are compared in absolute numbers. */
const FEW = 10;

/** A count compared with the previous period: "up 12% from 1,200". Null if both are 0. */
export function describeCountChange(now: number, before: number): string | null {
  if (before === 0) return now === 0 ? null : "previously 0";
  const change = Math.round(((now - before) / before) * 100);
  if (change === 0) return "unchanged";
  if (before < FEW) return `previously ${full.format(before)}`;
  return `${change > 0 ? "up" : "down"} ${full.format(Math.abs(change))}% from ${full.format(before)}`;
}

/** A rate compared with the previous period, in percentage points. */
export function describeRateChange(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  const points = Math.abs(now - before) * 100;
  if (points < 0.005) return "unchanged";
  const digits = points < 1 ? 2 : 1;
  return `${now > before ? "up" : "down"} ${trimZeros(points.toFixed(digits))} points from ${formatRate(before)}`;
}
