/** Next to the main configuration file. */
export const NAMES_CONF = "names.conf";

/** Files of one name's certificate, relative to the main configuration file. */
export const nameFiles = (name: string) => ({
  certificate: `names/${name}.crt`,
  key: `names/${name}.key`,
});

/** Safe characters: the name becomes part of a path and of the configuration. */
const HOSTNAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** A limit, because Dovecot reads all of them at each reload. */
const NAMES_MAX = 2_000;

/** The names that Dovecot can present a certificate for. */
export const usableNames = (names: Iterable<string>): string[] =>
  [...names].filter((name) => HOSTNAME.test(name)).slice(0, NAMES_MAX);

/** Which certificate to present to a client that asks for a name (SNI). */
export function namesConf(names: string[]): string {
  return names
    .map((name) => {
      const { certificate, key } = nameFiles(name);
      return `local_name ${name} {\n  ssl_cert = <${certificate}\n  ssl_key = <${key}\n}\n`;
    })
    .join("");
}
