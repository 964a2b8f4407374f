import { dateFormatter } from "./date-format.ts";

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
/** Older times show the date instead. */
const RELATIVE_MAX_SECONDS = 7 * 86_400;
const JUST_NOW_SECONDS = 10;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const formatDate = dateFormatter({ day: "numeric", month: "short", year: "numeric" });
const formatExactTime = dateFormatter({ dateStyle: "medium", timeStyle: "long" });

/** "2 minutes ago", or the date if it is more than a week away. */
export function formatRelativeTime(moment: Date, now: Date): string {
  const seconds = Math.round((moment.getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < JUST_NOW_SECONDS) return "just now";
  if (distance > RELATIVE_MAX_SECONDS) return formatDate(moment);
  const [unit, size] = UNITS.find(([, size]) => distance >= size) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** A relative time, with the exact local and UTC time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={`${formatExactTime(moment)} · ${at}`}>
      {formatRelativeTime(moment, new Date())}
    </time>
  );
}

/** A time to the second in the reader's time zone. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {formatExactTime(new Date(at))}
    </time>
  );
}
