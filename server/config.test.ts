import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { describe, expect, test } from "vitest";

import { ConfigError, readConfig, VARIABLES } from "./config.ts";

const refusalOf = (env: Record<string, string>) => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return null;
};

test("without variables it runs in local mode on loopback with the documented ports", () => {
  expect(readConfig({})).toEqual({
    localMode: true,
    hostname: "posthouse.localhost",
    baseUrl: "http://localhost:3000",
    dataFolder: resolve("data"),
    databaseUrl: null,
    roles: new Set(["web", "worker", "mail"]),
    mailHost: null,
    linkPort: 24240,
    instanceKeyFile: null,
    bind: "127.0.0.1",
    ports: {
      web: 3000,
      smtp: 2525,
      submission: 2587,
      submissions: 2465,
      imap: 2143,
      imaps: 2993,
      pop3: 2110,
      pop3s: 2995,
      sieve: 24190,
    },
    httpPort: null,
    tls: null,
    acme: null,
    dnsServers: null,
    dnssec: "auto",
    outboundPort: 25,
    outboundSources: [],
    relay: null,
    trustedProxies: [],
    privateWebhooks: [],
    metricsToken: null,
    alarmRelay: null,
    proxyProtocol: [],
    webmail: null,
    calendar: null,
  });
});

test("without IPv6 in the kernel it listens on all IPv4 addresses", () => {
  const bindOf = (env: Record<string, string>) => readConfig(env, { hasIpv6: false }).bind;
  expect(bindOf({ POSTHOUSE_HOSTNAME: "mail.example.com" })).toBe("0.0.0.0");
  expect(bindOf({ POSTHOUSE_BIND: "::" })).toBe("0.0.0.0");
  expect(bindOf({ POSTHOUSE_BIND: "::1" })).toBe("::1");
});

test("a hostname makes it a server that listens on all addresses, with an https URL for that name", () => {
  expect(readConfig({ POSTHOUSE_HOSTNAME: "Mail.Example.com" }, { hasIpv6: true })).toMatchObject({
    localMode: false,
    hostname: "mail.example.com",
    baseUrl: "https://mail.example.com",
    bind: "::",
  });
});

test("an empty variable counts as unset", () => {
  const names = ["POSTHOUSE_HOSTNAME", "POSTHOUSE_URL", "PORT", "DATABASE_URL", "POSTHOUSE_DNS"];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfig({}));
});

test("reads every variable", () => {
  const ports = {
    PORT: "1",
    SMTP_PORT: "2",
    SUBMISSION_PORT: "3",
    SUBMISSIONS_PORT: "4",
    IMAP_PORT: "5",
    IMAPS_PORT: "6",
    POP3_PORT: "7",
    POP3S_PORT: "8",
    SIEVE_PORT: "65535",
  };
  const settings = readConfig({
    ...ports,
    POSTHOUSE_URL: "https://post.example.com:8443/",
    POSTHOUSE_DATA: "/var/lib/posthouse",
    POSTHOUSE_ROLES: "web, mail",
    POSTHOUSE_BIND: "::1",
    DATABASE_URL: "postgres://a:b@db.example.com/posthouse",
    POSTHOUSE_TLS_CERT: "/etc/cert.pem",
    POSTHOUSE_TLS_KEY: "/etc/key.pem",
    POSTHOUSE_DNS: "9.9.9.9,[2620:fe::fe]:5353,127.0.0.1:53,2620:fe::9",
    POSTHOUSE_OUTBOUND_PORT: "2526",
    POSTHOUSE_OUTBOUND_ADDRESSES:
      "192.0.2.1, 192.0.2.2=Mail2.example.com,2001:DB8::2=mail2.example.com",
    POSTHOUSE_RELAY_URL: "smtps://user:p%40ss@relay.example.com",
    POSTHOUSE_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1",
    POSTHOUSE_PRIVATE_WEBHOOKS: "fd00::/8",
  });
  expect(Object.values(settings.ports)).toEqual(Object.values(ports).map(Number));
  expect(settings).toMatchObject({
    baseUrl: "https://post.example.com:8443",
    dataFolder: "/var/lib/posthouse",
    roles: new Set(["web", "mail"]),
    bind: "::1",
    databaseUrl: "postgres://a:b@db.example.com/posthouse",
    tls: { certFile: "/etc/cert.pem", keyFile: "/etc/key.pem" },
    dnsServers: [
      { address: "9.9.9.9", port: 53 },
      { address: "2620:fe::fe", port: 5353 },
      { address: "127.0.0.1", port: 53 },
      { address: "2620:fe::9", port: 53 },
    ],
    outboundPort: 2526,
    outboundSources: [
      { name: "posthouse.localhost", ipv4: "192.0.2.1", ipv6: null },
      { name: "mail2.example.com", ipv4: "192.0.2.2", ipv6: "2001:db8::2" },
    ],
    relay: {
      host: "relay.example.com",
      port: 465,
      implicitTls: true,
      auth: { user: "user", pass: "p@ss" },
    },
  });
  expect(settings.trustedProxies.map(([address, bits]) => `${address.toString()}/${bits}`)).toEqual(
    ["10.0.0.0/8", "127.0.0.1/32"],
  );
  expect(settings.privateWebhooks).toHaveLength(1);
});

test("a smarthost URL without options means port 25, STARTTLS and no sign-in", () => {
  expect(readConfig({ POSTHOUSE_RELAY_URL: "smtp://relay.example.com" }).relay).toEqual({
    host: "relay.example.com",
    port: 25,
    implicitTls: false,
    auth: null,
  });
});

test("certificates come from Let's Encrypt, another authority, or not at all", () => {
  const acmeOf = (env: Record<string, string>) =>
    readConfig({ POSTHOUSE_HOSTNAME: "mail.example.com", ...env }).acme;
  expect(acmeOf({})).toEqual({
    directoryUrl: "https://acme-v02.api.letsencrypt.org/directory",
    email: null,
    binding: null,
    dnsHook: null,
  });
  expect(
    acmeOf({
      POSTHOUSE_ACME: "https://ca.example.com/acme",
      POSTHOUSE_ACME_EMAIL: "ops@example.com",
      POSTHOUSE_ACME_BINDING: "key-1:abc_123",
      POSTHOUSE_ACME_DNS_HOOK: "/opt/hook",
    }),
  ).toEqual({
    directoryUrl: "https://ca.example.com/acme",
    email: "ops@example.com",
    binding: { keyId: "key-1", hmacKey: "abc_123" },
    dnsHook: "/opt/hook",
  });
  expect(acmeOf({ POSTHOUSE_ACME: "off" })).toBeNull();
  expect(acmeOf({ POSTHOUSE_HOSTNAME: "" })).toBeNull();
});

describe("rejects an invalid value with the name of its variable", () => {
  const ports = ["PORT", "SMTP_PORT", "IMAPS_PORT", "POSTHOUSE_OUTBOUND_PORT"].flatMap((name) =>
    ["0", "65536", "25.5", "smtp", "-1"].map((value): [string, string] => [name, value]),
  );
  test.each<[string, string]>([
    ["POSTHOUSE_HOSTNAME", "localhost"],
    ["POSTHOUSE_HOSTNAME", "mail_.example.com"],
    ["POSTHOUSE_HOSTNAME", "https://mail.example.com"],
    ["POSTHOUSE_HOSTNAME", `${"a".repeat(64)}.com`],
    ["POSTHOUSE_URL", "mail.example.com"],
    ["POSTHOUSE_URL", "https://mail.example.com/api"],
    ["POSTHOUSE_URL", "ftp://mail.example.com"],
    ["POSTHOUSE_URL", "https://user@mail.example.com"],
    ["POSTHOUSE_URL", "https://mail.example.com/?a=b"],
    ["DATABASE_URL", "mysql://localhost/posthouse"],
    ["DATABASE_URL", "localhost:5432"],
    ["POSTHOUSE_ROLES", "web,workers"],
    ["POSTHOUSE_ROLES", "web,"],
    ["POSTHOUSE_ROLES", "web,worker"],
    ["POSTHOUSE_MAIL_HOST", "mail-1"],
    ["LINK_PORT", "link"],
    ["POSTHOUSE_BIND", "localhost"],
    ["HTTP_PORT", "http"],
    ["POSTHOUSE_OUTBOUND_ADDRESSES", "mail2.example.com"],
    ["POSTHOUSE_OUTBOUND_ADDRESSES", "192.0.2.1=mail2"],
    ["POSTHOUSE_OUTBOUND_ADDRESSES", "192.0.2.1,192.0.2.2"],
    ["POSTHOUSE_ACME", "lets-encrypt"],
    ["POSTHOUSE_ACME", "ftp://ca.example.com"],
    ["POSTHOUSE_ACME_BINDING", "key-1"],
    ["POSTHOUSE_BIND", "1.2.3.4.5"],
    ["POSTHOUSE_DNS", "dns.example.com"],
    ["POSTHOUSE_DNS", "9.9.9.9:70000"],
    ["POSTHOUSE_DNSSEC", "yes"],
    ["POSTHOUSE_RELAY_URL", "relay.example.com:25"],
    ["POSTHOUSE_RELAY_URL", "https://relay.example.com"],
    ["POSTHOUSE_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["POSTHOUSE_TRUSTED_PROXIES", "proxy"],
    ["POSTHOUSE_PRIVATE_WEBHOOKS", "10.0.0.0/8,"],
    ["POSTHOUSE_PROXY_PROTOCOL", "proxy.example.com"],
    ["POSTHOUSE_PROXY_PROTOCOL", "10.0.0.0/8,127.0.0.0/8"],
    ["POSTHOUSE_PROXY_PROTOCOL", "::1"],
    ...ports,
  ])("%s=%s", (name, value) => {
    expect(refusalOf({ [name]: value })).toMatch(new RegExp(`^${name}\\b`));
  });

  test("proxies that include the address of the listeners", () => {
    const env = { POSTHOUSE_BIND: "10.0.0.5", POSTHOUSE_PROXY_PROTOCOL: "10.0.0.0/8" };
    expect(refusalOf(env)).toContain("can't include 10.0.0.5");
    const { proxyProtocol } = readConfig({ ...env, POSTHOUSE_PROXY_PROTOCOL: "10.0.0.9" });
    expect(proxyProtocol).toHaveLength(1);
  });

  test("ports of Dovecot that leave none for proxies", () => {
    const env = { POSTHOUSE_PROXY_PROTOCOL: "10.0.0.9", IMAPS_PORT: "55536" };
    expect(refusalOf(env)).toMatch(/^IMAPS_PORT is "55536": must be at most 55535 with POSTHOUSE/);
    expect(readConfig({ ...env, IMAPS_PORT: "55535" }).ports.imaps).toBe(55_535);
  });

  test("a certificate without its key, or a key without its certificate", () => {
    expect(refusalOf({ POSTHOUSE_TLS_CERT: "/cert.pem" })).toMatch(/^POSTHOUSE_TLS_KEY: /);
    expect(refusalOf({ POSTHOUSE_TLS_KEY: "/key.pem" })).toMatch(/^POSTHOUSE_TLS_CERT: /);
  });

  test("does not repeat a password in the error", () => {
    expect(refusalOf({ DATABASE_URL: "postgre://u:secret@db/x" })).not.toContain("secret");
    expect(refusalOf({ POSTHOUSE_RELAY_URL: "http://u:secret@relay" })).not.toContain("secret");
  });
});

test("a metrics token must be long enough, and the error doesn't repeat it", () => {
  const token = "0123456789abcdef";
  expect(readConfig({ POSTHOUSE_METRICS_TOKEN: token }).metricsToken).toBe(token);
  for (const bad of [token.slice(1), `${token} x`])
    expect(() => readConfig({ POSTHOUSE_METRICS_TOKEN: bad })).toThrow(
      /^POSTHOUSE_METRICS_TOKEN: must have at least 16 printable ASCII characters and no spaces$/,
    );
});

test("a smarthost for alarms is read like the relay, and errors name its variable", () => {
  expect(readConfig({ POSTHOUSE_ALARM_SMTP_URL: "smtps://u:p@smtp.example.com" })).toMatchObject({
    relay: null,
    alarmRelay: { host: "smtp.example.com", port: 465, implicitTls: true },
  });
  expect(() => readConfig({ POSTHOUSE_ALARM_SMTP_URL: "https://x" })).toThrow(
    /^POSTHOUSE_ALARM_SMTP_URL: must look like smtp:/,
  );
});

test("hosts with a shared database can leave out roles, and mail hosts have a name", () => {
  const shared = { DATABASE_URL: "postgres://db.example.com/posthouse" };
  expect(readConfig(shared)).toMatchObject({ mailHost: null, linkPort: 24240 });
  expect(readConfig({ ...shared, POSTHOUSE_ROLES: "web,worker" }).roles).not.toContain("mail");
  for (const name of ["mail-1", "mail-0.hosts.mail", "10.0.0.7", "fd00::7"])
    expect(readConfig({ ...shared, POSTHOUSE_MAIL_HOST: name }).mailHost).toBe(name);
  for (const name of ["mail_1", "mail 1", "mail-1:24240", "-mail"])
    expect(() => readConfig({ ...shared, POSTHOUSE_MAIL_HOST: name })).toThrow(
      /^POSTHOUSE_MAIL_HOST is ".*": must be a hostname or an IP address/,
    );
  // With settings that all hosts share.
  const web = { ...shared, POSTHOUSE_MAIL_HOST: "mail-1", POSTHOUSE_ROLES: "web" };
  expect(readConfig(web).mailHost).toBeNull();
});

test("the instance key can be a mounted secret", () => {
  expect(readConfig({}).instanceKeyFile).toBeNull();
  expect(readConfig({ POSTHOUSE_INSTANCE_KEY_FILE: "/run/secrets/key" }).instanceKeyFile).toBe(
    "/run/secrets/key",
  );
});

test("the tables of settings list each variable, with its default port", () => {
  const tables = ["docs/settings.md", "docs/several-hosts.md"].map((page) =>
    readFileSync(join(import.meta.dirname, "..", page), "utf8"),
  );
  const rows = tables.flatMap((page) => page.match(/^\| `[A-Z][A-Z0-9_]+`.*$/gm) ?? []);
  const namesIn = (row: string) => row.split("|")[1]!.match(/[A-Z][A-Z0-9_]+/g)!;
  expect(new Set(rows.flatMap(namesIn))).toEqual(new Set(Object.keys(VARIABLES)));
  for (const [name, { fallback }] of Object.entries(VARIABLES))
    if (typeof fallback === "number")
      expect(rows.find((row) => namesIn(row).includes(name))).toMatch(
        new RegExp(`\\b${fallback}\\b`),
      );
});
