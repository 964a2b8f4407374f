import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";

import type { Config } from "#server/config.ts";

import { peerAddress, peerIsTrustedProxy } from "./caller-address.ts";
import type { Exchange, WebReply } from "./exchange.ts";

/** A year, as browsers' preload lists ask for. Other hosts of the domain aren't ours to decide about. */
const HSTS = "max-age=31536000";

export type HttpsPolicy = Pick<Config, "trustedProxies" | "localMode" | "baseUrl"> & {
  /** Whether browsers trust the certificate. With HSTS, a self-signed one would lock everyone out. */
  isCertificateTrusted: () => boolean;
  /** Whether the host of a Host header serves only tracking and unsubscribe links. */
  isTrackingHost: (host: string | undefined) => boolean;
};

/** What to do with a request. */
type Verdict = "serve" | "redirect" | "refuse";

/**
 * Decides what to do with a request, by how it arrived. On a server, plain HTTP is redirected if it carries no
 * secret, and refused otherwise: a redirect would hide that the API key was sent in the clear. Requests from this
 * host are served, and all requests in local mode or with an `http:` POSTHOUSE_URL.
 */
export function judgeTransport(request: IncomingMessage, policy: HttpsPolicy): Verdict {
  if (!requiresHttps(policy) || arrivedOverTls(request, policy) || isFromThisHost(request))
    return "serve";
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead && request.headers.authorization === undefined ? "redirect" : "refuse";
}

/** Tells browsers to use HTTPS from now on (RFC 6797). Only for the host of POSTHOUSE_URL. */
export function setTransportSecurity(
  request: IncomingMessage,
  response: ServerResponse,
  policy: HttpsPolicy,
): void {
  if (!requiresHttps(policy) || !arrivedOverTls(request, policy)) return;
  if (isEncrypted(request) && !policy.isCertificateTrusted()) return;
  // Over TLS, the base URL names the default port, or the header names the same one.
  if (request.headers.host?.toLowerCase() === policy.baseUrl.slice("https://".length))
    response.setHeader("strict-transport-security", HSTS);
}

/** The same page at POSTHOUSE_URL. */
export const redirectToHttps = ({ request }: Exchange, { baseUrl }: HttpsPolicy): WebReply => ({
  status: 308,
  headers: { location: `${baseUrl}${request.url}` },
});

const requiresHttps = ({ localMode, baseUrl }: HttpsPolicy) =>
  !localMode && baseUrl.startsWith("https:");

/**
 * Directly, or at a proxy. The header of an unlisted proxy is trusted too: a client that forges it only gives up
 * its own protection.
 */
function arrivedOverTls(request: IncomingMessage, { trustedProxies }: HttpsPolicy): boolean {
  if (isEncrypted(request)) return true;
  const header = request.headers["x-forwarded-proto"];
  const nearest = (Array.isArray(header) ? header.join(",") : header)?.split(",").at(-1)?.trim();
  if (nearest !== undefined) return nearest.toLowerCase() === "https";
  return peerIsTrustedProxy(request.socket, trustedProxies);
}

const isEncrypted = ({ socket }: IncomingMessage) => socket instanceof TLSSocket;

/** With a POSTHOUSE_BIND of its own, this host connects from that address instead of loopback. */
function isFromThisHost({ socket, headers }: IncomingMessage): boolean {
  if (headers["x-forwarded-proto"] !== undefined) return false;
  const address = peerAddress(socket);
  const ownAddress = socket.localAddress?.replace(/^::ffff:/i, "");
  return address === "::1" || address.startsWith("127.") || address === ownAddress;
}
