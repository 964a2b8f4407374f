import { z } from "zod";

import { addDomain as add } from "#server/core/domains/domains/domains.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

import { DomainDetailsObject, domainDetailsObject } from "./domain-details.ts";
import { readTracking, TRACKING_FIELDS } from "./tracking-fields.ts";

export const addDomain = defineEndpoint({
  method: "POST",
  path: "/domains",
  summary: "Create a domain",
  description:
    "Publish the returned Ownership record in the domain's DNS and verify the domain within seven days. During that time no other company can create it. Deleting and creating the domain again does not restart the seven days. Domains of public mailbox providers, example domains and the service's own domains are not allowed.",
  permission: "full_access",
  privilege: "domains",
  body: z.object({
    name: blankIsMissing(z.string())
      .meta({ type: "string", minLength: 1 })
      .describe(
        "Domain name, such as `example.com`. A scheme, `user@` part, port, path and trailing dot are removed",
      ),
    ...TRACKING_FIELDS,
  }),
  response: DomainDetailsObject,
  refusals: [
    "missing_required_field",
    "invalid",
    "not_allowed",
    "account_inactive",
    "too_many_pending",
  ],
  async handle({ ctx, body }) {
    const { region } = await currentSettings(ctx.db);
    return domainDetailsObject(
      await add(ctx, { name: body.name, ...readTracking(body) }, { via: "api" }),
      region,
    );
  },
});
