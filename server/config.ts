import { existsSync } from "node:fs";
import { isIPv6 } from "node:net";
import { resolve } from "node:path";

import ipaddr from "ipaddr.js";

import {
  type Acme,
  type Cidr,
  type DnsServer,
  type NamedAddress,
  type OutboundSource,
  readAcmeBinding,
  readAcmeDirectory,
  readCidrs,
  readDatabaseUrl,
  readDnssec,
  readDnsServers,
  readHost,
  readHostname,
  readNamedAddresses,
  parseOrigin,
  readPort,
  readRelay,
  readRoles,
  readUpstream,
  type Relay,
  type Role,
  ROLES,
  type Upstream,
} from "./setting-values.ts";

export {
  type Acme,
  type Cidr,
  type OutboundSource,
  type Relay,
  type Role,
  ROLES,
  sourceAddresses,
  type Upstream,
} from "./setting-values.ts";

export type Config = {
  /** No POSTHOUSE_HOSTNAME: one machine, loopback only, with a sandbox company to try things in. */
  localMode: boolean;
  /** The mail hostname: EHLO, MX, certificate. `posthouse.localhost` in local mode. */
  hostname: string;
  /** Without trailing slash. */
  baseUrl: string;
  /** Absolute. */
  dataFolder: string;
  /** Null: embedded Postgres. The processes that `posthouse start` starts always have one. */
  databaseUrl: string | null;
  /** Without `mail`, mailboxes are on other hosts, which the shared database names. */
  roles: ReadonlySet<Role>;
  /** How other hosts reach this mail host. Null: all mailboxes are on this machine, and no other host uses them. */
  mailHost: string | null;
  /** Where mail hosts accept connections from the other hosts. The same on all of them. */
  linkPort: number;
  /** Null: `keys/instance.key` in the data folder. */
  instanceKeyFile: string | null;
  /** `::` for all addresses, IPv4 and IPv6. */
  bind: string;
  ports: {
    web: number;
    smtp: number;
    submission: number;
    submissions: number;
    imap: number;
    imaps: number;
    pop3: number;
    pop3s: number;
    sieve: number;
  };
  /** A second port of the web process, for 80 beside 443. Null: one port. */
  httpPort: number | null;
  /** Null: a certificate from `acme`, or a self-signed one in the data folder. */
  tls: { certFile: string; keyFile: string } | null;
  /** Null: no certificates are ordered. */
  acme: Acme | null;
  /** Null: the system's resolvers. */
  dnsServers: DnsServer[] | null;
  /**
   * Whether to trust these resolvers to validate DNSSEC. `auto`: if they run on this machine, or `/etc/resolv.conf`
   * says so.
   */
  dnssec: "auto" | "on" | "off";
  outboundPort: number;
  /** Where outgoing connections come from; the first one is used unless another is assigned. Empty: the system chooses. */
  outboundSources: OutboundSource[];
  relay: Relay | null;
  trustedProxies: Cidr[];
  privateWebhooks: Cidr[];
  /** For `/metrics` from other machines; null: only from this one. */
  metricsToken: string | null;
  /** A smarthost for alarms, which then don't depend on the appliance's own delivery. */
  alarmRelay: Relay | null;
  /** Proxies whose connections begin with a PROXY header. Connections from them without one are closed. */
  proxyProtocol: Cidr[];
  /** Roundcube, served at `/webmail`; null if webmail is off. */
  webmail: Upstream | null;
  /** Radicale, served at `/dav`; null if calendars and contacts are off. */
  calendar: Upstream | null;
};

/** A setting that cannot be used. The message names the variable and says what it should be. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** How to read an environment variable. */
type Variable<T> = {
  /** Returns null for text that it can't read. */
  read: (text: string) => T | null;
  /** The error message for such text, after the variable's name. */
  expected: string;
  /** The value if it is unset or empty. */
  fallback: T;
};

function variable<T>(read: (text: string) => T | null, expected: string): Variable<T | null>;
function variable<T>(read: (text: string) => T | null, expected: string, fallback: T): Variable<T>;
function variable<T>(
  read: (text: string) => T | null,
  expected: string,
  fallback: T | null = null,
): Variable<T | null> {
  return { read, expected, fallback };
}

const PORT_EXPECTED = "must be a port number from 1 to 65535";
const port = (fallback: number) => variable(readPort, PORT_EXPECTED, fallback);
const file = () => variable((path) => resolve(/* turbopackIgnore: true */ path), "");
const cidrs = () =>
  variable(readCidrs, "must be a list of addresses or CIDR ranges, such as 10.0.0.0/8", []);
const upstream = () =>
  variable(readUpstream, "must look like unix:/run/webmail.sock or http://webmail:8080");
const relay = () => variable(readRelay, "must look like smtp://user:password@host:587");

/** All environment variables. */
export const VARIABLES = {
  POSTHOUSE_HOSTNAME: variable(
    readHostname,
    "must be a hostname with a dot, such as mail.example.com",
  ),
  POSTHOUSE_URL: variable(
    parseOrigin,
    "must be a URL without a path, such as https://mail.example.com (clients ignore any path)",
  ),
  PORT: port(3000),
  HTTP_PORT: variable(readPort, PORT_EXPECTED),
  POSTHOUSE_ROLES: variable(
    readRoles,
    `must be a list of ${ROLES.join(", ")}`,
    new Set<Role>(ROLES),
  ),
  POSTHOUSE_BIND: variable((text) => (ipaddr.isValid(text) ? text : null), "must be an IP address"),
  IMAP_PORT: port(2143),
  IMAPS_PORT: port(2993),
  POP3_PORT: port(2110),
  POP3S_PORT: port(2995),
  SIEVE_PORT: port(24190),
  SMTP_PORT: port(2525),
  SUBMISSION_PORT: port(2587),
  SUBMISSIONS_PORT: port(2465),
  POSTHOUSE_DATA: file(),
  DATABASE_URL: variable(
    readDatabaseUrl,
    "must look like postgres://user:password@host:5432/database",
  ),
  POSTHOUSE_MAIL_HOST: variable(readHost, "must be a hostname or an IP address, such as mail-1"),
  LINK_PORT: port(24240),
  POSTHOUSE_INSTANCE_KEY_FILE: file(),
  POSTHOUSE_TLS_CERT: file(),
  POSTHOUSE_TLS_KEY: file(),
  POSTHOUSE_ACME: variable(
    readAcmeDirectory,
    "must be the URL of an ACME directory, or off",
    "https://acme-v02.api.letsencrypt.org/directory",
  ),
  POSTHOUSE_ACME_EMAIL: variable((text) => text, ""),
  POSTHOUSE_ACME_BINDING: variable(readAcmeBinding, "must look like key-id:base64url-hmac-key"),
  POSTHOUSE_ACME_DNS_HOOK: file(),
  POSTHOUSE_DNS: variable(
    readDnsServers,
    "must be a list of ip[:port], such as 9.9.9.9,[2620:fe::fe]:53",
  ),
  POSTHOUSE_DNSSEC: variable(readDnssec, "must be auto, on or off", "auto"),
  POSTHOUSE_OUTBOUND_PORT: port(25),
  POSTHOUSE_OUTBOUND_ADDRESSES: variable(
    readNamedAddresses,
    "must be IP addresses separated by commas, each with an optional hostname, as in 192.0.2.2=mail2.example.com",
    [],
  ),
  POSTHOUSE_RELAY_URL: relay(),
  POSTHOUSE_TRUSTED_PROXIES: cidrs(),
  POSTHOUSE_PRIVATE_WEBHOOKS: cidrs(),
  POSTHOUSE_METRICS_TOKEN: variable(
    (text) => (/^[\x21-\x7e]{16,}$/.test(text) ? text : null),
    "must have at least 16 printable ASCII characters and no spaces",
  ),
  POSTHOUSE_ALARM_SMTP_URL: relay(),
  POSTHOUSE_PROXY_PROTOCOL: cidrs(),
  POSTHOUSE_WEBMAIL: upstream(),
  POSTHOUSE_CALENDAR: upstream(),
  COMPOSE_PROFILES: variable((text) => text.split(/\s*,\s*/), "", []),
} satisfies Record<string, Variable<unknown>>;

type VariableName = keyof typeof VARIABLES;
type Settings = { [Name in VariableName]: (typeof VARIABLES)[Name]["fallback"] };
type Environment = Record<string, string | undefined>;
type Fail = (variable: VariableName, expected: string) => never;

/** Error messages don't contain the values of these. */
const SECRETS = new Set<VariableName>([
  "DATABASE_URL",
  "POSTHOUSE_RELAY_URL",
  "POSTHOUSE_ALARM_SMTP_URL",
  "POSTHOUSE_ACME_BINDING",
  "POSTHOUSE_METRICS_TOKEN",
]);

/**
 * Reads the settings of this process from the environment.
 *
 * @param hasIpv6 whether the kernel has IPv6; without it, no socket can be created for `::`
 * @throws ConfigError for the first variable that cannot be used
 */
export function readConfig(
  env: Environment,
  { hasIpv6 = existsSync("/proc/net/if_inet6") }: { hasIpv6?: boolean } = {},
): Config {
  const fail: Fail = (name, expected) => {
    const value = SECRETS.has(name) ? undefined : env[name];
    throw new ConfigError(`${name}${value ? ` is "${value}"` : ""}: ${expected}`);
  };
  const set = readVariables(env, fail);
  requireConsistent(set, fail);
  const hostname = set.POSTHOUSE_HOSTNAME ?? "posthouse.localhost";
  return {
    localMode: isLocal(set),
    hostname,
    baseUrl: baseUrlOf(set, hostname),
    dataFolder: set.POSTHOUSE_DATA ?? resolve(/* turbopackIgnore: true */ "data"),
    databaseUrl: set.DATABASE_URL,
    roles: set.POSTHOUSE_ROLES,
    // Ignored on hosts without mailboxes, so that all hosts can share one environment.
    mailHost: set.POSTHOUSE_ROLES.has("mail") ? set.POSTHOUSE_MAIL_HOST : null,
    linkPort: set.LINK_PORT,
    instanceKeyFile: set.POSTHOUSE_INSTANCE_KEY_FILE,
    bind: bindOf(set, hasIpv6),
    ports: {
      web: set.PORT,
      smtp: set.SMTP_PORT,
      submission: set.SUBMISSION_PORT,
      submissions: set.SUBMISSIONS_PORT,
      imap: set.IMAP_PORT,
      imaps: set.IMAPS_PORT,
      pop3: set.POP3_PORT,
      pop3s: set.POP3S_PORT,
      sieve: set.SIEVE_PORT,
    },
    httpPort: set.HTTP_PORT,
    tls: tlsOf(set, fail),
    acme: acmeOf(set),
    dnsServers: set.POSTHOUSE_DNS,
    dnssec: set.POSTHOUSE_DNSSEC,
    outboundPort: set.POSTHOUSE_OUTBOUND_PORT,
    outboundSources: sourcesOf(set.POSTHOUSE_OUTBOUND_ADDRESSES, hostname, fail),
    relay: set.POSTHOUSE_RELAY_URL,
    trustedProxies: set.POSTHOUSE_TRUSTED_PROXIES,
    privateWebhooks: set.POSTHOUSE_PRIVATE_WEBHOOKS,
    metricsToken: set.POSTHOUSE_METRICS_TOKEN,
    alarmRelay: set.POSTHOUSE_ALARM_SMTP_URL,
    proxyProtocol: set.POSTHOUSE_PROXY_PROTOCOL,
    webmail: set.POSTHOUSE_WEBMAIL ?? composeService(set, "webmail", "webmail"),
    calendar: set.POSTHOUSE_CALENDAR ?? composeService(set, "calendar", "calendars"),
  };
}

function readVariables(env: Environment, fail: Fail): Settings {
  const names = Object.keys(VARIABLES) as VariableName[];
  const values = names.map((name) => {
    const { read, expected, fallback }: Variable<unknown> = VARIABLES[name];
    return [name, env[name] ? (read(env[name]) ?? fail(name, expected)) : fallback];
  });
  return Object.fromEntries(values) as Settings;
}

let current: Config | undefined;

/** The settings of this process, read once. */
export const config = (): Config => (current ??= readConfig(process.env));

/** Added to a port of Dovecot for the listener that expects PROXY headers. */
export const PROXY_PORT_OFFSET = 10_000;
const PORT_MAX = 65_535;

/** Checks settings that depend on each other. */
function requireConsistent(set: Settings, fail: Fail): void {
  if (!set.POSTHOUSE_ROLES.has("mail") && !set.DATABASE_URL)
    fail("POSTHOUSE_ROLES", "must include mail unless DATABASE_URL is set");
  if (set.POSTHOUSE_MAIL_HOST && set.POSTHOUSE_ROLES.has("mail") && !set.DATABASE_URL)
    fail(
      "POSTHOUSE_MAIL_HOST",
      "needs DATABASE_URL, because other hosts can't reach the embedded database",
    );
  if (set.POSTHOUSE_PROXY_PROTOCOL.length > 0) requireReachable(set, fail);
}

/** The addresses that Posthouse connects to itself from, in health checks, besides POSTHOUSE_BIND. */
const OWN_ADDRESSES = ["127.0.0.1", "::1"];

/** Dovecot listens for proxies on extra ports, and Posthouse's own addresses can't be listed as proxies. */
function requireReachable(set: Settings, fail: Fail): void {
  const dovecot = ["IMAP_PORT", "IMAPS_PORT", "POP3_PORT", "POP3S_PORT", "SIEVE_PORT"] as const;
  for (const name of dovecot)
    if (set[name] + PROXY_PORT_OFFSET > PORT_MAX)
      fail(name, `must be at most ${PORT_MAX - PROXY_PORT_OFFSET} with POSTHOUSE_PROXY_PROTOCOL`);
  const bound = set.POSTHOUSE_BIND === null ? [] : [set.POSTHOUSE_BIND];
  for (const own of [...OWN_ADDRESSES, ...bound].map((address) => ipaddr.process(address)))
    if (
      set.POSTHOUSE_PROXY_PROTOCOL.some(
        ([net, bits]) => net.kind() === own.kind() && own.match(net, bits),
      )
    )
      fail(
        "POSTHOUSE_PROXY_PROTOCOL",
        `can't include ${own.toString()}, which Posthouse itself connects from. A proxy on this machine can connect from 127.0.0.2`,
      );
}

/** The socket of a service in docker/compose.yaml; null unless its profile is on. */
const composeService = (set: Settings, profile: string, folder: string): Upstream | null =>
  set.COMPOSE_PROFILES.includes(profile) ? { socketPath: `/data/${folder}/http.sock` } : null;

const isLocal = (set: Settings) => set.POSTHOUSE_HOSTNAME === null;

const baseUrlOf = (set: Settings, hostname: string) =>
  set.POSTHOUSE_URL ?? (isLocal(set) ? `http://localhost:${set.PORT}` : `https://${hostname}`);

function bindOf(set: Settings, hasIpv6: boolean): string {
  const bind = set.POSTHOUSE_BIND ?? (isLocal(set) ? "127.0.0.1" : "::");
  return bind === "::" && !hasIpv6 ? "0.0.0.0" : bind;
}

function tlsOf(set: Settings, fail: Fail): Config["tls"] {
  const { POSTHOUSE_TLS_CERT: certFile, POSTHOUSE_TLS_KEY: keyFile } = set;
  if (certFile && keyFile) return { certFile, keyFile };
  if (certFile) fail("POSTHOUSE_TLS_KEY", "must be set together with POSTHOUSE_TLS_CERT");
  if (keyFile) fail("POSTHOUSE_TLS_CERT", "must be set together with POSTHOUSE_TLS_KEY");
  return null;
}

function acmeOf(set: Settings): Acme | null {
  if (isLocal(set) || set.POSTHOUSE_ACME === "off") return null;
  return {
    directoryUrl: set.POSTHOUSE_ACME,
    email: set.POSTHOUSE_ACME_EMAIL,
    binding: set.POSTHOUSE_ACME_BINDING,
    dnsHook: set.POSTHOUSE_ACME_DNS_HOOK,
  };
}

function sourcesOf(addresses: NamedAddress[], hostname: string, fail: Fail): OutboundSource[] {
  const sources = new Map<string, OutboundSource>();
  for (const { address, name = hostname } of addresses) {
    const source = sources.get(name) ?? { name, ipv4: null, ipv6: null };
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (source[family] !== null)
      fail(
        "POSTHOUSE_OUTBOUND_ADDRESSES",
        `must have at most one IPv4 and one IPv6 address for ${name}`,
      );
    sources.set(name, { ...source, [family]: address });
  }
  return [...sources.values()];
}
