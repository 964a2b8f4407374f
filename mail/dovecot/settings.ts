import type { Config } from "#server/config.ts";
import type { DovecotVersion } from "#server/gateways/find-dovecot.mjs";
import type { Certificate } from "#server/core/platform/tls/certificate.ts";

/** One of several mail hosts of the installation. */
export type MailHost = {
  name: string;
  /** What its name resolves to. */
  address: string;
  /** Shown to the other ones. */
  certificate: Certificate;
  /** The other ones. */
  peers: { address: string; certificate: string }[];
};

/** The input of the Dovecot configuration. */
export type DovecotSettings = Pick<Config, "dataFolder" | "hostname" | "baseUrl" | "bind"> & {
  version: DovecotVersion;
  /** Whether mailboxes can have a search index. */
  hasSearch: boolean;
  ports: Pick<Config["ports"], "imap" | "imaps" | "pop3" | "pop3s" | "sieve">;
  /** Proxies whose connections begin with a PROXY header. They use ports of their own (`PROXY_PORT_OFFSET`). */
  proxyProtocol?: Config["proxyProtocol"] | undefined;
  /** Null if mail hosts have no names, so that this is the only one. */
  mailHost?: MailHost | null;
  /** With Dovecot's own database role, if there is one. */
  databaseUrl: string;
  certificate: Certificate;
  /** Certificates of further names that clients can ask for (SNI). */
  namedCertificates?: ReadonlyMap<string, Certificate>;
  /** Key of the doveadm socket. */
  apiKey: string;
  /** Delay of the reply to a wrong password. */
  failureDelaySeconds: number;
  /** The policy server on loopback. */
  policy: { port: number; key: string; id: string };
  /** The loopback listener for mail sent by Sieve scripts. */
  sievePort: number;
};
