/** Quotes a literal value for dovecot.conf. */
export const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;

/** A block of dovecot.conf. Lines may be blocks; those that aren't strings are left out. */
export function block(head: string, ...lines: (string | false | undefined)[]): string {
  const inside = lines.filter((line) => typeof line === "string").join("\n");
  return `${head} {\n${inside
    .replace(/^(?=.)/gm, "  ")
    .replace(/\n+/g, "\n")
    .trimEnd()}\n}\n`;
}

/** Escapes a literal for settings in which Dovecot expands variables, such as mail_home and SQL queries. */
export const withoutVariables = (text: string) => text.replaceAll("%{", "%%{");

/** A string literal in a query. */
export const sqlText = (text: string) => `'${withoutVariables(text).replaceAll("'", "''")}'`;

/** The variables that Dovecot 2.3 spells differently. */
const OLD_VARIABLES: Record<string, string> = {
  user: "%u",
  "user | username": "%n",
  "user | domain": "%d",
  protocol: "%s",
  "password | sha256": "%{sha256:password}",
  "remote_ip | default('')": "%{rip}",
  "passdb:login_credential | default('')": "%{passdb:login_credential}",
};

/** Translates a text with the variables of Dovecot 2.4 for 2.3, where `%` alone is special too. */
export const variables23 = (text: string) =>
  text.replace(/%%\{|%(?:\{([^}]*)\})?/g, (all, name?: string) => {
    if (name !== undefined) return OLD_VARIABLES[name] ?? all;
    return all === "%" ? "%%" : all;
  });

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

const OWN_PARAMETERS = { connect_timeout: "5", application_name: "posthouse-dovecot" };

/** Per process of Dovecot. */
const CONNECTIONS_MAX = 4;

/**
 * The value of Dovecot 2.3's `connect` setting: a libpq URI. Dovecot splits the setting at spaces, and in a URI all
 * special characters of a password are percent-encoded.
 */
export function connectString(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  for (const name of [...url.searchParams.keys()])
    if (!LIBPQ_PARAMETERS.has(name)) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(OWN_PARAMETERS)) url.searchParams.set(name, value);
  url.username = percentEncoded(url.username);
  url.password = percentEncoded(url.password);
  // libpq reads + literally, not as a space.
  url.search = url.search.replaceAll("+", "%20");
  return `${url.href} maxconns=${CONNECTIONS_MAX}`;
}

/** Encodes characters that URL leaves as they are. */
const percentEncoded = (part: string) => encodeURIComponent(decodeURIComponent(part));

/** The same for Dovecot 2.4, which accepts no URI: a block with libpq's parameters. */
export function connectBlock(databaseUrl: string): string {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl);
  const given = [...searchParams].filter(([name]) => LIBPQ_PARAMETERS.has(name));
  const { host = decodeURIComponent(hostname).replace(/^\[|\]$/g, ""), ...parameters } = {
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    dbname: decodeURIComponent(pathname.slice(1)),
    ...(Object.fromEntries(given) as { host?: string }),
    ...OWN_PARAMETERS,
  };
  const lines = Object.entries(parameters)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} = ${quoted(withoutVariables(value))}`);
  return `sql_driver = pgsql
${block(
  "pgsql posthouse",
  `host = ${quoted(withoutVariables(host))}`,
  `connection_limit = ${CONNECTIONS_MAX}`,
  block("parameters", ...lines),
)}`;
}
