import { once } from "node:events";
import { createServer } from "node:net";

import type { DovecotVersion } from "#server/gateways/find-dovecot.mjs";

import { block, sqlText } from "./quoting.ts";
import type { DovecotSettings, MailHost } from "./settings.ts";

/** Next to the main configuration file, like the certificates of the other mail hosts. */
export const HOSTS_CONF = "hosts.conf";

export const HOSTS_CERTIFICATES = "hosts.pem";

/** The name in the certificates that mail hosts show to each other. They have no name in common otherwise. */
export const MAIL_HOST_NAME = "mail-host.posthouse.internal";

/**
 * How Dovecot passes sessions to the mail host that stores the mailbox, and accepts them from other hosts: it shows the
 * certificate from the database, trusts only those of the other mail hosts, and takes the client's address from them.
 *
 * Login processes of 2.3 ignore `ssl_client_ca_file`. `ssl_ca` has no effect on mail apps, which need no certificate.
 */
export async function hostsConf(
  { address, peers }: MailHost,
  version: DovecotVersion,
): Promise<string> {
  const own = certificateConf(MAIL_HOST_NAME, version);
  if (peers.length === 0) return own;
  const trusted = {
    "2.3": `ssl_ca = <${HOSTS_CERTIFICATES}\nssl_require_crl = no\n`,
    "2.4": `ssl_client_ca_file = ${HOSTS_CERTIFICATES}\n`,
  };
  return `${own}${trusted[version]}${await sourceAddress(address, version)}\
login_trusted_networks = ${peers.map(({ address }) => address).join(" ")}
`;
}

/**
 * Connects to other hosts from the address that they trust, if this machine has it: behind NAT, it doesn't. Dovecot 2.3 checks
 * that itself.
 */
async function sourceAddress(address: string, version: DovecotVersion): Promise<string> {
  if (version === "2.3") return `login_source_ips = ?${address}\n`;
  return (await isOwnAddress(address)) ? `login_source_ips = ${address}\n` : "";
}

/** Tries to listen on the address, because the system lists only one of the loopback addresses. */
async function isOwnAddress(address: string): Promise<boolean> {
  const server = createServer().listen(0, address);
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

type Settings = Pick<DovecotSettings, "mailHost" | "version"> & {
  ports: Pick<DovecotSettings["ports"], "imaps" | "pop3s" | "sieve">;
};

/**
 * Columns of a sign-in that send the session to another mail host, if that one stores the mailbox. It checks the
 * password again.
 *
 * `q.peer` is the address of a host other than this one, or null.
 */
export function proxyColumns({ mailHost, ports, version }: Settings): string {
  if (!mailHost) return "";
  const isElsewhere = "q.reason IS NULL AND q.peer IS NOT NULL";
  const port = `CASE '%{protocol}' WHEN 'imap' THEN ${ports.imaps} WHEN 'pop3' THEN ${ports.pop3s} ELSE ${ports.sieve} END`;
  const column = (value: string, name: string, condition = "") =>
    `, CASE WHEN ${isElsewhere}${condition} THEN ${value} END AS ${name}`;
  return [
    column("'y'", "proxy_maybe"),
    // Multiplexed connections of 2.4.1 stall.
    ...(version === "2.4" ? [column("'y'", "proxy_no_multiplex")] : []),
    column(sqlText(MAIL_HOST_NAME), "host"),
    column("q.peer", "hostip"),
    column(port, "port"),
    column("'yes'", "ssl", " AND '%{protocol}' <> 'sieve'"),
    column("'yes'", "starttls", " AND '%{protocol}' = 'sieve'"),
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
export const namesConf = (names: string[], version: DovecotVersion): string =>
  names.map((name) => certificateConf(name, version)).join("");

function certificateConf(name: string, version: DovecotVersion): string {
  const { certificate, key } = nameFiles(name);
  const lines = {
    "2.3": [`ssl_cert = <${certificate}`, `ssl_key = <${key}`],
    "2.4": [`ssl_server_cert_file = ${certificate}`, `ssl_server_key_file = ${key}`],
  };
  return block(`local_name ${name}`, ...lines[version]);
}
