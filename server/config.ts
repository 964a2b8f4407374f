import { resolve } from "node:path";

import { type Acme, readAcme } from "./acme-config.ts";
import { readInstanceKeyFile, readMailHost, readRoles, type Role } from "./mail-host-config.ts";
import { type OutboundSource, readOutboundSources } from "./outbound-config.ts";
import {
  type Cidr,
  readBind,
  readCidrs,
  readDnsServers,
  readDnssec,
  readProxyProtocol,
} from "./network-config.ts";

export { type OutboundSource, sourceAddresses } from "./outbound-config.ts";
export { type Role, ROLES } from "./mail-host-config.ts";
export { type Cidr, PROXY_PORT_OFFSET } from "./network-config.ts";

/** A smarthost that carries all outgoing mail. */
export type Relay = {
  host: string;
  port: number;
  /** `smtps://`: TLS from the first byte (RFC 8314); else STARTTLS when offered. */
  implicitTls: boolean;
  auth: { user: string; pass: string } | null;
};

export type { Acme } from "./acme-config.ts";

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
  dnsServers: { address: string; port: number }[] | null;
  /** Whether to believe these resolvers that an answer is validated. */
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
  /** Proxies whose connections begin with a PROXY header. */
  proxyProtocol: Cidr[];
};

/** A setting that cannot be used. The message names the variable and says what it should be. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the settings of this process from the environment.
 *
 * @param hasIpv6 whether the kernel has IPv6, for tests
 * @throws ConfigError for the first variable that cannot be used
 */
export function readConfig(env: Environment, { hasIpv6 }: { hasIpv6?: boolean } = {}): Config {
  const hostname = readHostname(env);
  const localMode = hostname === null;
  const web = readPort(env, "PORT", 3000);
  const roles = readRoles(env, fail);
  const bind = readBind(env, { localMode, fail, hasIpv6 });
  const dovecotPorts = {
    imap: readPort(env, "IMAP_PORT", 2143),
    imaps: readPort(env, "IMAPS_PORT", 2993),
    pop3: readPort(env, "POP3_PORT", 2110),
    pop3s: readPort(env, "POP3S_PORT", 2995),
    sieve: readPort(env, "SIEVE_PORT", 24190),
  };
  return {
    localMode,
    hostname: hostname ?? LOCAL_HOSTNAME,
    baseUrl: readBaseUrl(env, web),
    dataFolder: resolve(/* turbopackIgnore: true */ env.POSTHOUSE_DATA || "./data"),
    databaseUrl: readDatabaseUrl(env),
    roles,
    mailHost: readMailHost(env, { roles, fail }),
    linkPort: readPort(env, "LINK_PORT", 24240),
    instanceKeyFile: readInstanceKeyFile(env),
    bind,
    ports: {
      web,
      smtp: readPort(env, "SMTP_PORT", 2525),
      submission: readPort(env, "SUBMISSION_PORT", 2587),
      submissions: readPort(env, "SUBMISSIONS_PORT", 2465),
      ...dovecotPorts,
    },
    httpPort: env.HTTP_PORT ? readPort(env, "HTTP_PORT", 80) : null,
    tls: readTls(env),
    acme: readAcme(env, { localMode, fail }),
    dnsServers: readDnsServers(env, fail),
    dnssec: readDnssec(env, fail),
    outboundPort: readPort(env, "POSTHOUSE_OUTBOUND_PORT", 25),
    outboundSources: readOutboundSources(env, { hostname: hostname ?? LOCAL_HOSTNAME, fail }),
    relay: readRelay(env, "POSTHOUSE_RELAY_URL"),
    trustedProxies: readCidrs(env, "POSTHOUSE_TRUSTED_PROXIES", fail),
    privateWebhooks: readCidrs(env, "POSTHOUSE_PRIVATE_WEBHOOKS", fail),
    metricsToken: readMetricsToken(env),
    alarmRelay: readRelay(env, "POSTHOUSE_ALARM_SMTP_URL"),
    proxyProtocol: readProxyProtocol(env, { bind, ports: dovecotPorts, fail }),
  };
}

const LOCAL_HOSTNAME = "posthouse.localhost";

let current: Config | undefined;

/** The settings of this process, read once. */
export function config(): Config {
  return (current ??= readConfig(process.env));
}

function fail(variable: string, value: string | undefined, expected: string): never {
  throw new ConfigError(`${variable}${value ? ` is "${value}"` : ""}: ${expected}`);
}

function readHostname(env: Environment): string | null {
  const value = env.POSTHOUSE_HOSTNAME?.toLowerCase();
  if (!value) return null;
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  if (value.length > 253 || !new RegExp(`^(${label}\\.)+${label}$`).test(value))
    fail("POSTHOUSE_HOSTNAME", value, "must be a hostname with a dot, such as mail.example.com");
  return value;
}

function readBaseUrl(env: Environment, webPort: number): string {
  const value = env.POSTHOUSE_URL;
  if (!value)
    return env.POSTHOUSE_HOSTNAME
      ? `https://${env.POSTHOUSE_HOSTNAME.toLowerCase()}`
      : `http://localhost:${webPort}`;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isRoot = url && ["http:", "https:"].includes(url.protocol) && url.pathname === "/";
  if (!isRoot || url.search || url.username)
    fail(
      "POSTHOUSE_URL",
      value,
      "must be a URL without a path, such as https://mail.example.com (clients ignore any path)",
    );
  return url.origin;
}

function readDatabaseUrl(env: Environment): string | null {
  const value = env.DATABASE_URL;
  if (!value) return null;
  // The value carries a password, so the message does not repeat it.
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value))
    fail("DATABASE_URL", undefined, "must look like postgres://user:password@host:5432/database");
  return value;
}

function readPort(env: Environment, variable: string, fallback: number): number {
  const value = env[variable];
  if (!value) return fallback;
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    fail(variable, value, "must be a port number from 1 to 65535");
  return port;
}

function readTls(env: Environment): Config["tls"] {
  const certFile = env.POSTHOUSE_TLS_CERT;
  const keyFile = env.POSTHOUSE_TLS_KEY;
  if (!certFile && !keyFile) return null;
  if (!certFile)
    fail("POSTHOUSE_TLS_CERT", undefined, "must be set together with POSTHOUSE_TLS_KEY");
  if (!keyFile)
    fail("POSTHOUSE_TLS_KEY", undefined, "must be set together with POSTHOUSE_TLS_CERT");
  return {
    certFile: resolve(/* turbopackIgnore: true */ certFile),
    keyFile: resolve(/* turbopackIgnore: true */ keyFile),
  };
}

function readRelay(env: Environment, variable: string): Relay | null {
  const value = env[variable];
  if (!value) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url?.hostname || !["smtp:", "smtps:"].includes(url.protocol))
    fail(variable, undefined, "must look like smtp://user:password@host:587");
  const implicitTls = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (implicitTls ? 465 : 25),
    implicitTls,
    auth: url.username
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
      : null,
  };
}

function readMetricsToken(env: Environment): string | null {
  const value = env.POSTHOUSE_METRICS_TOKEN;
  if (!value) return null;
  // The message doesn't repeat the secret.
  const expected = "must have at least 16 printable ASCII characters and no spaces";
  if (!/^[\x21-\x7e]{16,}$/.test(value)) fail("POSTHOUSE_METRICS_TOKEN", undefined, expected);
  return value;
}
