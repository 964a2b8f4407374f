import { z } from "zod";

import { addDomain as add } from "#server/core/domains/domains/add-domain.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DomainDetailsObject, domainDetailsObject } from "./domain-details.ts";

/** Empty text counts as a name that was left out. */
const orMissing = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? undefined : value;

export const addDomain = defineEndpoint({
  method: "POST",
  path: "/domains",
  summary: "Add a domain",
  description:
    "Publish the Ownership record of the answer in the domain's DNS and call verify, within seven days of the company's first addition of the domain: deleting it and adding it again does not begin them anew. Until then no other company can add it. Domains of public mailbox providers, of examples and of this service are refused.",
  permission: "full_access",
  privilege: "domains",
  body: z.object({
    name: z
      .preprocess(orMissing, z.string())
      .meta({ type: "string", minLength: 1 })
      .describe(
        "The domain name, such as `example.com`. A scheme, `user@` part, port, path and last dot around it are taken away",
      ),
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
    return domainDetailsObject(await add(ctx, body, { via: "api" }), region);
  },
});
