const HOUR_MS = 3_600_000;

/**
 * The moment a day begins in a time zone, to the second.
 *
 * @param day `2026-12-24`
 * @param timeZone an IANA name that this host knows
 */
export function startOfDay(day: string, timeZone: string): Date {
  const asUtc = Date.parse(`${day}T00:00:00Z`);
  const clock = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    ...{ timeZone, hourCycle: "h23", era: "short" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const offsetAt = (moment: number) => {
    const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, +value]));
    const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type)!;
    const [year, month, date] = [at("year"), at("month") - 1, at("day")];
    return Date.UTC(year, month, date, at("hour"), at("minute"), at("second")) - moment;
  };
  // First the offset near that time, then at the result: they differ around clock changes.
  const near = asUtc - offsetAt(asUtc);
  const found = asUtc - offsetAt(near);
  // Where midnight is skipped, the day starts with its first hour.
  return new Date(found + offsetAt(found) < asUtc ? found + HOUR_MS : found);
}

/** The next day, in the same format. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR_MS).toISOString().slice(0, 10);
}
