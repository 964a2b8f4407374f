/** Formats a Postgres timestamp for the API: UTC with microseconds. Postgres drops trailing zeros. */
export function apiTimestamp(moment: string): string {
  const [, seconds, fraction = ""] = /^([\d-]+ [\d:]+)(?:\.(\d+))?\+00$/.exec(moment) ?? [];
  if (!seconds) throw new Error(`"${moment}" is not a UTC timestamp in Postgres' format`);
  return `${seconds}.${fraction.padEnd(6, "0")}+00`;
}

/** The timestamp in ISO 8601, truncated to milliseconds: the format for webhooks. */
export const isoTimestamp = (moment: string): string =>
  `${apiTimestamp(moment).slice(0, "YYYY-MM-DD HH:MM:SS.sss".length).replace(" ", "T")}Z`;

/** Formats a timestamp for the console's API: RFC 3339 in UTC. */
export const consoleTimestamp = (timestamp: string): string => new Date(timestamp).toISOString();
