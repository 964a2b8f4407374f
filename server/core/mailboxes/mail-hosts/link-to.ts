import { config } from "#server/config.ts";
import { derivedSecret } from "#server/core/shared/secrets/derived-secret.ts";
import type { HostLink } from "#server/gateways/host-link.ts";

/** How to connect to a mail host of this installation. */
export function linkTo(host: string): HostLink {
  return { host, port: config().linkPort, secret: derivedSecret("host links") };
}
