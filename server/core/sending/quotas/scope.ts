/** The scope of all companies together: the nil UUID, which sorts first. */
export const PLATFORM = "00000000-0000-0000-0000-000000000000";

/** The first day of the month (UTC), as in `sending_totals`. */
export const calendarMonth = (moment: Date): string => `${moment.toISOString().slice(0, 7)}-01`;
