import { readerLocale } from "./reader-locale.ts";
import { pageText } from "./texts.tsx";

// Every number, size, duration and date in the console is formatted here, in the conventions of the reader's region.

/** Formats numbers with the separators of the reader's region. */
export function numberFormatter(options: Intl.NumberFormatOptions): (value: number) => string {
  const format = new Intl.NumberFormat(readerLocale, options);
  return (value) => format.format(value);
}

/** "12,345" */
export const formatCount = numberFormatter({ maximumFractionDigits: 0 });

/** "12.3K", for an axis. */
export const formatCompactCount = numberFormatter({
  notation: "compact",
  maximumFractionDigits: 1,
});

/** "12.4" */
export const formatDecimal = numberFormatter({
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

const formatShort = numberFormatter({ maximumFractionDigits: 1 });

/** `1 message`, `1,200 messages`, `2 mailboxes`. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;

export const MB = 1024 * 1024;

const BYTE_UNITS = ["KB", "MB", "GB", "TB"];

/** "12.4 MB", in powers of 1,024. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BYTE_UNITS.length);
  const value = bytes / 1024 ** power;
  return `${(value < 100 ? formatShort : formatCount)(value)} ${BYTE_UNITS[power - 1] ?? pageText("bytes")}`;
}

/** "512 MB", "1.5 GB" */
export const formatMegabytes = (megabytes: number): string => formatBytes(megabytes * MB);

const DURATION_UNITS = [
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
  { unit: "second", seconds: 1 },
] as const;

/** Rounds down to the largest unit: "3 days", "12 minutes", "40 seconds". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const size = DURATION_UNITS.find((size) => whole >= size.seconds) ?? DURATION_UNITS[3];
  return pluralize(Math.floor(whole / size.seconds), size.unit);
}

/** "84 ms", "1.2 s" */
export const formatLatency = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${formatCount(milliseconds)} ms`
    : `${formatDecimal(milliseconds / 1000)} s`;

/** Rates below this show two decimals: bounce and complaint rates are judged by hundredths. */
const FINE_BELOW = 0.1;

function percentFormatter(decimals: number) {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return numberFormatter({ style: "percent", ...digits });
}

const formatWholeRate = percentFormatter(0);
const formatCoarseRate = percentFormatter(1);
const formatFineRate = percentFormatter(2);

/** "97.2%", "94.0%", "0.08%"; "0%" and "100%" have no decimals. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate === 1) return formatWholeRate(rate);
  return rate < FINE_BELOW ? formatFineRate(rate) : formatCoarseRate(rate);
}

/** "50%", "0.5%", for an axis. */
export const formatRateTick = numberFormatter({ style: "percent", maximumFractionDigits: 2 });

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
  if (before < FEW) return `previously ${formatCount(before)}`;
  return `${change > 0 ? "up" : "down"} ${formatCount(Math.abs(change))}% from ${formatCount(before)}`;
}

const formatSmallPoints = numberFormatter({ maximumFractionDigits: 2 });

/** A rate compared with the previous period, in percentage points. */
export function describeRateChange(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  const points = Math.abs(now - before) * 100;
  if (points < 0.005) return "unchanged";
  const change = points < 1 ? formatSmallPoints(points) : formatShort(points);
  return `${now > before ? "up" : "down"} ${change} points from ${formatRate(before)}`;
}

/** Formats dates for the reader, in their time zone unless `options` names one. */
export function dateFormatter(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const format = new Intl.DateTimeFormat(readerLocale, options);
  return (date) => format.format(date);
}

const formatUtcDay = dateFormatter({ dateStyle: "long", timeZone: "UTC" });

/** Formats a calendar date: `2026-12-24` as December 24, 2026. */
export const formatDay = (day: string): string => formatUtcDay(new Date(`${day}T00:00:00Z`));

/** The day of a moment in the reader's time zone: December 24, 2026. */
export const formatLocalDay = dateFormatter({ dateStyle: "long" });

/** "Dec 24, 2026" */
const formatDate = dateFormatter({ day: "numeric", month: "short", year: "numeric" });

/** To the second, with the time zone. */
export const formatExactTime = dateFormatter({ dateStyle: "medium", timeStyle: "long" });

const relativeTime = new Intl.RelativeTimeFormat(readerLocale, { numeric: "always" });
/** Older times show the date instead. */
const RELATIVE_MAX_SECONDS = 7 * 86_400;
const JUST_NOW_SECONDS = 10;

/** "2 minutes ago", or the date if it is more than a week away. */
export function formatRelativeTime(moment: Date, now: Date): string {
  const seconds = Math.round((moment.getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < JUST_NOW_SECONDS) return pageText("time.now");
  if (distance > RELATIVE_MAX_SECONDS) return formatDate(moment);
  const size = DURATION_UNITS.find((size) => distance >= size.seconds) ?? DURATION_UNITS[3];
  return relativeTime.format(Math.trunc(seconds / size.seconds), size.unit);
}

/** The name of a language, written in that language. */
export const languageName = (tag: string): string =>
  new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag;

/** Sets the apostrophes of a text from the server as the console's own texts have them. Leaves addresses alone. */
export const typographic = (text: string): string =>
  text.replace(/(?<=[a-z])'(?=(?:s|t|re|ll|ve|d|m)\b)|(?<=[a-z]s)'(?= )/gi, "’");

/** A phrase from the server as a sentence: capitalized, unless it begins with a hostname or an address, with a period. */
export const toSentence = (phrase: string): string =>
  typographic(
    `${phrase.replace(/^[a-z](?![^ ]*[.@:_][^ ])/, (letter) => letter.toUpperCase())}${/[.?!]$/.test(phrase) ? "" : "."}`,
  );
