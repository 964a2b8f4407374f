import type { Config } from "#server/config.ts";
import type { Certificate } from "#server/core/platform/tls/check-certificate.ts";

/** What Dovecot's configuration is generated from. */
export type DovecotSettings = Pick<Config, "dataFolder" | "hostname" | "baseUrl" | "bind"> & {
  ports: Pick<Config["ports"], "imap" | "imaps" | "pop3" | "pop3s" | "sieve">;
  /** Dovecot's own sign-in to the appliance's database. */
  databaseUrl: string;
  certificate: Certificate;
  /** Opens the doveadm socket. */
  apiKey: string;
  /** How long a wrong password waits for its answer. */
  failureDelaySeconds: number;
  /** Our policy server on loopback: the key that opens it, and what passwords are hashed with for it. */
  policy: { port: number; key: string; hashNonce: string };
  /** Our listener on loopback for what Sieve scripts send. */
  sievePort: number;
};
