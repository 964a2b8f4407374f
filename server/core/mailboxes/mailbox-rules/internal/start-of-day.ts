import { Temporal } from "temporal-polyfill";

/**
 * The moment a day begins in a time zone.
 *
 * @param day `2026-12-24`
 * @param timeZone an IANA name or an offset such as `+01:00`
 */
export const startOfDay = (day: string, timeZone: string): Date =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds);

/** The next day, in the same format. */
export const dayAfter = (day: string): string =>
  Temporal.PlainDate.from(day).add({ days: 1 }).toString();
