import { sqlText } from "./quoting.ts";
import type { DovecotSettings, MailHost } from "./settings.ts";

/** Next to the main configuration file, like the certificates of the other mail hosts. */
export const HOSTS_CONF = "hosts.conf";

export const HOSTS_CERTIFICATES = "hosts.pem";

/** The name in the certificates that mail hosts show to each other. They have no name in common otherwise. */
export const MAIL_HOST_NAME = "mail-host.posthouse.internal";

/**
 * How Dovecot hands a session to the mail host that stores the mailbox, and gets it from there: it shows the certificate
 * that is in the database, trusts only those of the other mail hosts, and believes them who the client is.
 *
 * Login processes ignore `ssl_client_ca_file`. `ssl_ca` has no effect on mail apps, which need no certificate.
 */
export function hostsConf({ address, peers }: MailHost): string {
  const files = nameFiles(MAIL_HOST_NAME);
  const own = `local_name ${MAIL_HOST_NAME} {
  ssl_cert = <${files.certificate}
  ssl_key = <${files.key}
}
`;
  if (peers.length === 0) return own;
  return `${own}ssl_ca = <${HOSTS_CERTIFICATES}
ssl_require_crl = no
login_source_ips = ?${address}
login_trusted_networks = ${peers.map(({ address }) => address).join(" ")}
`;
}

type Settings = Pick<DovecotSettings, "mailHost"> & {
  ports: Pick<DovecotSettings["ports"], "imaps" | "pop3s" | "sieve">;
};

/**
 * Columns of a sign-in that send the session to another mail host, if that one stores the mailbox. It checks the
 * password again.
 *
 * `q.peer` is the address of a host other than this one, or null.
 */
export function proxyColumns({ mailHost, ports }: Settings): string {
  if (!mailHost) return "";
  const isElsewhere = "q.reason IS NULL AND q.peer IS NOT NULL";
  const port = `CASE '%s' WHEN 'imap' THEN ${ports.imaps} WHEN 'pop3' THEN ${ports.pop3s} ELSE ${ports.sieve} END`;
  const column = (value: string, name: string, condition = "") =>
    `, CASE WHEN ${isElsewhere}${condition} THEN ${value} END AS ${name}`;
  return [
    column("'y'", "proxy_maybe"),
    column(sqlText(MAIL_HOST_NAME), "host"),
    column("q.peer", "hostip"),
    column(port, "port"),
    column("'yes'", "ssl", " AND '%s' <> 'sieve'"),
    column("'yes'", "starttls", " AND '%s' = 'sieve'"),
  ].join("");
}

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
