import { createSecureContext, createServer, type Server, type SecureContext } from "node:tls";

import { findAlpnAnswer, findHttpAnswer } from "#server/core/platform/certificates/acme.ts";
import { db } from "#server/db/pool.ts";

import type { Exchange, WebReply } from "./exchange.ts";

/** RFC 8737, 4. */
const ACME_PROTOCOL = "acme-tls/1";
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Answers the certificate authority that checks whether a name is ours (HTTP-01, RFC 8555, 8.3). */
export async function acmeChallenge(_: Exchange, token: string): Promise<WebReply> {
  const answer = await findHttpAnswer(db(), token);
  return {
    status: answer === null ? 404 : 200,
    type: "application/octet-stream",
    body: answer ?? "No such challenge\n",
  };
}

/**
 * The TLS server for certificate authorities that check a name by TLS-ALPN-01 (RFC 8737): it presents the
 * challenge's certificate and closes the connection.
 */
export function createAlpnServer(): Server {
  const server = createServer(
    {
      ALPNProtocols: [ACME_PROTOCOL],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      SNICallback: (name, done) => {
        challengeContext(name).then(
          (context) => done(null, context),
          (error: unknown) => done(error as Error),
        );
      },
    },
    // The authority may have reset the connection.
    (socket) => socket.on("error", () => socket.destroy()).end(),
  );
  // Clients without a pending challenge.
  server.on("tlsClientError", () => {});
  return server;
}

async function challengeContext(name: string): Promise<SecureContext> {
  const pem = await findAlpnAnswer(db(), name);
  if (pem === null) throw new Error(`There is no challenge for ${name}`);
  return createSecureContext({ cert: pem, key: pem });
}

/** Whether a TLS ClientHello offers the protocol of TLS-ALPN-01. */
export const isAcmeHello = (hello: Buffer): boolean =>
  hello.includes(`\x0a${ACME_PROTOCOL}`, 0, "latin1");
