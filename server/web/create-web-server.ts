import { createServer, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";

import type { Config } from "#server/config.ts";
import type { Certificate } from "#server/core/platform/tls/check-certificate.ts";

import { type Destinations, front } from "./front.ts";

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

type Settings = Pick<Config, "trustedProxies">;

/** The HTTP server of the web process. */
export function createWebServer(
  config: Settings,
  destinations: Destinations,
  patience: Patience = PATIENCE,
): Server {
  const server = createServer(optionsOf(patience), front(config, destinations));
  return server.setTimeout(patience.idle);
}

/** The same over TLS. */
export function createTlsWebServer(
  config: Settings,
  destinations: Destinations,
  { certificate, key }: Certificate,
  patience: Patience = PATIENCE,
): TlsServer {
  const tls = { cert: certificate, key, handshakeTimeout: patience.headers };
  const options = { ...optionsOf(patience), ...tls };
  const server = createTlsServer(options, front(config, destinations));
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
