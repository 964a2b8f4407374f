import { isIP } from "node:net";

import ipaddr from "ipaddr.js";

export const ROLES = ["web", "worker", "mail"] as const;
export type Role = (typeof ROLES)[number];

export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/** A smarthost that carries all outgoing mail. */
export type Relay = {
  host: string;
  port: number;
  /** `smtps://`: TLS from the first byte (RFC 8314); else STARTTLS when offered. */
  implicitTls: boolean;
  auth: { user: string; pass: string } | null;
};

export type DnsServer = { address: string; port: number };

/** The certificate authority that Posthouse gets its certificates from (RFC 8555). */
export type Acme = {
  directoryUrl: string;
  /** For the authority's notices. */
  email: string | null;
  /** External account binding (RFC 8555, 7.3.4), which some authorities require. */
  binding: { keyId: string; hmacKey: string } | null;
  /** A program that publishes TXT records, for DNS-01. Null: HTTP-01 and TLS-ALPN-01. */
  dnsHook: string | null;
};

/** A name that other servers see, with the addresses that connections under it come from. */
export type OutboundSource = {
  /** For EHLO. The PTR records of the addresses should have it. */
  name: string;
  /** Null: not used. */
  ipv4: string | null;
  ipv6: string | null;
};

/** All addresses of sources. */
export const sourceAddresses = (sources: OutboundSource[]): string[] =>
  sources.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6].filter((address) => address !== null));

const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const HOSTNAME = new RegExp(`^(?=.{1,253}$)(${LABEL}\\.)+${LABEL}$`);
const HOST = new RegExp(`^(?=.{1,253}$)(${LABEL}\\.)*${LABEL}$`);

// Each function returns null for text that it can't read.

/** A name with a dot. */
export const readHostname = (text: string) => match(HOSTNAME, text.toLowerCase());

/** A name or an IP address. */
export const readHost = (text: string) =>
  isIP(text) === 0 ? match(HOST, text.toLowerCase()) : text.toLowerCase();

const match = (pattern: RegExp, text: string) => (pattern.test(text) ? text : null);

export function readPort(text: string): number | null {
  const port = Number(text);
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : null;
}

export const readDatabaseUrl = (text: string) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : null;

export const readAcmeDirectory = (text: string) =>
  text === "off" || /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text : null;

export const readDnssec = (text: string) =>
  text === "auto" || text === "on" || text === "off" ? text : null;

export function parseOrigin(text: string): string | null {
  const url = URL.parse(text);
  const isRoot = url && ["http:", "https:"].includes(url.protocol) && url.pathname === "/";
  return isRoot && !url.search && !url.username ? url.origin : null;
}

/** The address of another program that Posthouse forwards requests to. */
export type Upstream = { socketPath: string } | { host: string; port: number };

/** `unix:/run/webmail.sock` or `http://webmail:8080` */
export function readUpstream(text: string): Upstream | null {
  if (/^unix:\/./.test(text)) return { socketPath: text.slice("unix:".length) };
  const origin = /^http:/i.test(text) ? parseOrigin(text) : null;
  if (origin === null) return null;
  const { hostname, port } = new URL(origin);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || 80 };
}

export function readRoles(text: string): Set<Role> | null {
  const names = text.split(",").map((name) => name.trim());
  const roles = ROLES.filter((role) => names.includes(role));
  return names.every((name) => (ROLES as readonly string[]).includes(name)) ? new Set(roles) : null;
}

/** An item of a list such as `192.0.2.1,192.0.2.2=mail2.example.com`. An address without a name uses the hostname. */
export type NamedAddress = { address: string; name: string | undefined };

export function readNamedAddresses(text: string): NamedAddress[] | null {
  const entries = text.split(",").map((entry) => entry.trim().toLowerCase().split("="));
  const isValid = entries.every(
    ([address = "", name, ...rest]) =>
      isIP(address) !== 0 && rest.length === 0 && (name === undefined || HOSTNAME.test(name)),
  );
  return isValid ? entries.map(([address = "", name]) => ({ address, name })) : null;
}

export function readAcmeBinding(text: string): Acme["binding"] {
  const [, keyId, hmacKey] = /^([^:\s]+):([A-Za-z0-9_-]+)=*$/.exec(text) ?? [];
  return keyId && hmacKey ? { keyId, hmacKey } : null;
}

export function readRelay(text: string): Relay | null {
  const url = URL.parse(text);
  if (!url?.hostname || !["smtp:", "smtps:"].includes(url.protocol)) return null;
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

const DNS_SERVER = /^(?:\[([^\]]+)\]|([^:\]]+|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*))(?::(\d+))?$/i;

export function readDnsServers(text: string): DnsServer[] | null {
  const servers = text.split(",").map((entry) => {
    const [, bracketed, plain, port = "53"] = DNS_SERVER.exec(entry.trim()) ?? [];
    return { address: bracketed ?? plain ?? "", port: Number(port) };
  });
  const isValid = servers.every(({ address, port }) => ipaddr.isValid(address) && port <= 65_535);
  return isValid ? servers : null;
}

export function readCidrs(text: string): Cidr[] | null {
  const ranges = text.split(",").map((entry) => readCidr(entry.trim()));
  return ranges.every((range) => range !== null) ? ranges : null;
}

function readCidr(text: string): Cidr | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
