/** A moment as the API shows it: UTC, always six digits of a second. Postgres drops trailing zeros. */
export function apiTimestamp(moment: string): string {
  const [, seconds, fraction = ""] = /^([\d-]+ [\d:]+)(?:\.(\d+))?\+00$/.exec(moment) ?? [];
  if (!seconds) throw new Error(`"${moment}" is not a moment in UTC as Postgres prints it`);
  return `${seconds}.${fraction.padEnd(6, "0")}+00`;
}

/** The same moment in ISO 8601, cut to milliseconds: what the API shows of webhooks and to them. */
export const isoTimestamp = (moment: string): string =>
  `${apiTimestamp(moment).slice(0, "YYYY-MM-DD HH:MM:SS.sss".length).replace(" ", "T")}Z`;
