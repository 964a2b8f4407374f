/** The scope of what all companies send together: the nil UUID, which sorts before every company. */
export const PLATFORM = "00000000-0000-0000-0000-000000000000";

/** The month of a moment in UTC, as `sending_totals` keeps it: its first day. */
export const monthOf = (moment: Date): string => `${moment.toISOString().slice(0, 7)}-01`;
