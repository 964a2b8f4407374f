import { isIP } from "node:net";

import { config } from "#server/config.ts";

/** Whom passkeys are made for (WebAuthn Level 3, 4): they open the console of this host and no other. */
export type RelyingParty = {
  id: string;
  origin: string;
};

/**
 * The console as passkeys know it; null where browsers have no passkeys: without https, but for
 * localhost, and for an address in place of a name.
 */
export function relyingParty(): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(config().baseUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  return (protocol === "https:" || isLocal) && isName ? { id: hostname, origin } : null;
}
