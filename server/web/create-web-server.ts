import { createServer, type Server } from "node:http";

import type { Config } from "#server/config.ts";

import { type Destinations, front } from "./front.ts";

/** How long a client may take, in milliseconds. */
export type Patience = {
  /** A whole request, body included. */
  request: number;
  headers: number;
  /** Without a byte from the client. */
  idle: number;
  /** A connection between two requests. */
  keepAlive: number;
};

const PATIENCE: Patience = {
  // Enough for 30 MB over a slow line.
  request: 300_000,
  headers: 15_000,
  idle: 30_000,
  // Longer than the proxies in front keep theirs, so that they close first.
  keepAlive: 65_000,
};

/** The HTTP server of the web process. */
export function createWebServer(
  config: Pick<Config, "trustedProxies">,
  destinations: Destinations,
  patience: Patience = PATIENCE,
): Server {
  return createServer(
    {
      requestTimeout: patience.request,
      headersTimeout: patience.headers,
      keepAliveTimeout: patience.keepAlive,
      // How often the two time-outs above are looked at.
      connectionsCheckingInterval: Math.min(5_000, patience.headers),
      // Next would take the connection and leave it open; RFC 9110 §7.8 lets us answer as usual.
      shouldUpgradeCallback: () => false,
    },
    front(config, destinations),
  ).setTimeout(patience.idle);
}
