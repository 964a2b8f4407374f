import type { Domain } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

type Named = Pick<Domain, "name">;

/**
 * Whether the records of a domain can be published. In local mode, they name `posthouse.localhost`, so
 * publishing them would break the domain's mail. The sandbox's domain isn't in public DNS.
 */
export const isPublishable = ({ name }: Named): boolean =>
  !config().localMode || name === SANDBOX_DOMAIN;

/** @throws Refusal `invalid` in local mode */
export function requirePublishable(domain: Named): void {
  if (!isPublishable(domain))
    throw new Refusal(
      "invalid",
      "This server has no public hostname yet, so its DNS records can't be published. An operator can set one up under Operate, Go live",
    );
}
