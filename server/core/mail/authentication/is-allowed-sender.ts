import type { Resolver } from "#server/gateways/dns.ts";

import { boundedResolve } from "./internal/bounded-resolve.ts";
import { checkSpf } from "./internal/check-spf.ts";
import type { Origin } from "./verify-message.ts";

/** Whether SPF passes for the return path, so that it can get a bounce. False for the null sender. */
export async function isAllowedSender(
  origin: Origin,
  { resolver, hostname }: { resolver: Pick<Resolver, "resolve">; hostname: string },
): Promise<boolean> {
  if (origin.sender === "") return false;
  const { result } = await checkSpf(origin, { resolve: boundedResolve(resolver), hostname });
  return result === "pass";
}
