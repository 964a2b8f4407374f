const format = new Intl.DateTimeFormat("en-US", {
  ...({ day: "numeric", month: "long", year: "numeric" } as const),
  ...({ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" } as const),
});

/** For example `March 4, 2026 at 10:15 UTC`. */
export const formatUtc = (moment: string) => `${format.format(new Date(moment))} UTC`;
