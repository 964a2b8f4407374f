import type { Duplex } from "node:stream";
import type { ConnectionOptions, TlsOptions } from "node:tls";

/**
 * Connections between the hosts of one installation: TLS with a key that both sides know (RFC 4279), so that neither
 * needs a certificate, and other clients don't get past the handshake. ALPN (RFC 7301) names the service.
 */
export type HostLink = {
  host: string;
  port: number;
  /** Shared by all hosts of the installation. */
  secret: Buffer;
};

/** What a mail host offers. `dsync` begins with a line that names a mail store, which is then written. */
const LINK_SERVICES = ["lmtp", "lmtp-existing", "doveadm", "sessions", "imap", "dsync"] as const;

export type LinkService = (typeof LINK_SERVICES)[number];

const IDENTITY = "posthouse";

/** With forward secrecy. Node supports such keys up to TLS 1.2. */
const PROTOCOL = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
} as const;

/** For `tls.connect`. */
export const linkClientOptions = (
  { secret }: Pick<HostLink, "secret">,
  service: LinkService,
): ConnectionOptions => ({
  ...PROTOCOL,
  ALPNProtocols: [service],
  pskCallback: () => ({ psk: secret, identity: IDENTITY }),
  // There is no certificate: knowing the key is the identity.
  checkServerIdentity: () => undefined,
});

/** For `tls.createServer`. */
export const linkServerOptions = (secret: Buffer): TlsOptions => ({
  ...PROTOCOL,
  ALPNProtocols: [...LINK_SERVICES],
  pskIdentityHint: IDENTITY,
  pskCallback: (_socket, identity) => (identity === IDENTITY ? secret : null),
});

/** Passes on what each of two connections receives to the other one, until one ends or breaks. Then both end. */
export function joinStreams(one: Duplex, other: Duplex): void {
  const pairs = [
    [one, other],
    [other, one],
  ] as const;
  for (const [from, to] of pairs) {
    from.pipe(to);
    from.once("error", () => to.destroy());
    from.once("close", () => to.destroy());
  }
}
