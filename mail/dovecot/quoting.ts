/** A value of dovecot.conf, taken as it is: no comment, no variable of the file, no blank lost. */
export const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;

/** Text in which Dovecot expands `%` variables (mail_home, SQL queries), taken as it is. */
export const withoutVariables = (text: string) => text.replaceAll("%", "%%");

/** A text constant in a query. */
export const sqlText = (text: string) => `'${withoutVariables(text).replaceAll("'", "''")}'`;

/** What libpq knows of the parameters that a database URL may carry. Others would stop Dovecot. */
const LIBPQ_PARAMETERS = new Set([
  ...["host", "port", "options", "gssencmode", "channel_binding", "target_session_attrs"],
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl"],
]);

/**
 * The connection as Dovecot's `connect` setting takes it: a libpq URI. Dovecot splits the setting at
 * blanks, and in a URI every unusual character of a password is percent-encoded.
 *
 * @param maxConnections per Dovecot process
 */
export function connectString(databaseUrl: string, maxConnections: number): string {
  const url = new URL(databaseUrl);
  for (const name of [...url.searchParams.keys()])
    if (!LIBPQ_PARAMETERS.has(name)) url.searchParams.delete(name);
  url.searchParams.set("connect_timeout", "5");
  url.searchParams.set("application_name", "posthouse-dovecot");
  url.username = percentEncoded(url.username);
  url.password = percentEncoded(url.password);
  // libpq takes + for itself, not for a blank.
  url.search = url.search.replaceAll("+", "%20");
  return `${url.href} maxconns=${maxConnections}`;
}

/** URL leaves some characters of the user part as they are that encodeURIComponent does not. */
const percentEncoded = (part: string) => encodeURIComponent(decodeURIComponent(part));
