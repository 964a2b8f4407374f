import { getDomain as get } from "#server/core/domains/domains/domains.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DomainDetailsObject, domainDetailsObject } from "./domain-details.ts";
import { DOMAIN_NOT_FOUND, DomainId } from "./domain-object.ts";

export const getDomain = defineEndpoint({
  method: "GET",
  path: "/domains/{id}",
  summary: "Retrieve a domain",
  description:
    "Includes the DNS records to publish. Statuses are from the last check, whether requested or automatic.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  response: DomainDetailsObject,
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const { region } = await currentSettings(ctx.db);
    return domainDetailsObject(await get(ctx, params.id), region);
  },
});
