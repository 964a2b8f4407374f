import { isIP } from "node:net";

import { config } from "#server/config.ts";

/** The host that passkeys are bound to (WebAuthn Level 3, 4). */
export type RelyingParty = {
  id: string;
  origin: string;
};

/**
 * The console as a relying party; null if browsers don't support passkeys here: without https (except
 * localhost), or at an IP address.
 */
export function relyingParty(): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(config().baseUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  return (protocol === "https:" || isLocal) && isName ? { id: hostname, origin } : null;
}
