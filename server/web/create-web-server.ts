import { createServer, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";

import type { NamedCertificates } from "#server/core/platform/certificates/stored-certificates.ts";
import type { Certificate } from "#server/core/platform/tls/certificate.ts";

import { type Destinations, front } from "./front.ts";
import type { HttpsPolicy } from "./require-https.ts";

/** Client timeouts, in milliseconds. */
export type Patience = {
  /** A whole request, body included. */
  request: number;
  headers: number;
  /** Without data from the client. */
  idle: number;
  /** Keep-alive between two requests. */
  keepAlive: number;
};

export const PATIENCE: Patience = {
  // Enough for 30 MB over a slow line.
  request: 300_000,
  headers: 15_000,
  idle: 30_000,
  // Longer than the keep-alive of proxies in front, so that they close first.
  keepAlive: 65_000,
};

/** The HTTP server of the web process. */
export function createWebServer(
  policy: HttpsPolicy,
  destinations: Destinations,
  patience: Patience = PATIENCE,
): Server {
  const server = createServer(optionsOf(patience), front(policy, destinations));
  return server.setTimeout(patience.idle);
}

/** The same over TLS. */
export function createTlsWebServer(
  policy: HttpsPolicy,
  destinations: Destinations,
  { certificate, key, sniCallback }: Certificate & Partial<Pick<NamedCertificates, "sniCallback">>,
  patience: Patience = PATIENCE,
): TlsServer {
  const tls = {
    cert: certificate,
    key,
    handshakeTimeout: patience.headers,
    ...(sniCallback && { SNICallback: sniCallback }),
  };
  const options = { ...optionsOf(patience), ...tls };
  const server = createTlsServer(options, front(policy, destinations));
  return server.setTimeout(patience.idle);
}

const optionsOf = (patience: Patience): ServerOptions => ({
  requestTimeout: patience.request,
  headersTimeout: patience.headers,
  keepAliveTimeout: patience.keepAlive,
  // How often the two timeouts above are checked.
  connectionsCheckingInterval: Math.min(5_000, patience.headers),
  // Next would take over the connection and leave it open; RFC 9110 §7.8 allows a normal response.
  shouldUpgradeCallback: () => false,
});
