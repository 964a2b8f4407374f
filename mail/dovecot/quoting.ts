/** Quotes a literal value for dovecot.conf. */
export const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;

/** Escapes a literal for settings in which Dovecot expands `%` variables, such as mail_home and SQL queries. */
export const withoutVariables = (text: string) => text.replaceAll("%", "%%");

/** A string literal in a query. */
export const sqlText = (text: string) => `'${withoutVariables(text).replaceAll("'", "''")}'`;

/** URL parameters that libpq supports. Others would make Dovecot fail. */
const LIBPQ_PARAMETERS = new Set([
  "host",
  "port",
  "options",
  "gssencmode",
  "channel_binding",
  "target_session_attrs",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "sslcrl",
]);

/**
 * The value of Dovecot's `connect` setting: a libpq URI. Dovecot splits the setting at spaces, and in a URI all
 * special characters of a password are percent-encoded.
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
  // libpq reads + literally, not as a space.
  url.search = url.search.replaceAll("+", "%20");
  return `${url.href} maxconns=${maxConnections}`;
}

/** Encodes characters that URL leaves as they are. */
const percentEncoded = (part: string) => encodeURIComponent(decodeURIComponent(part));
