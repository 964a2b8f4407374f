import { listDomains as list } from "#server/core/domains/domains/domains.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { DomainObject, domainObject } from "./domain-object.ts";

export const listDomains = defineEndpoint({
  method: "GET",
  path: "/domains",
  summary: "List domains",
  description: "Newest first. Retrieve a single domain for its DNS records and tracking settings.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(DomainObject),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const { region } = await currentSettings(ctx.db);
    return listObject(await list(ctx, query), (domain) => domainObject(domain, region));
  },
});
