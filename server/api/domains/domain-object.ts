import { z } from "zod";

import type { Domain } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

const Switch = z.enum(["enabled", "disabled"]);

const object = z.literal("domain").describe("Object type");
const id = z.uuid().describe("The domain's ID; also the pagination cursor");

export const DomainObject = z
  .object({
    object,
    id,
    name: z.string().describe("Lowercase domain name"),
    status: z
      .enum(["not_started", "pending", "partially_verified", "verified"])
      .describe(
        "`not_started`: the DNS records have not been checked yet. `pending`: ownership is not verified, or neither SPF nor DKIM was found. `partially_verified`: only one of SPF and DKIM was found. `verified`: both were found and the domain can send",
      ),
    created_at: z.string().describe("When the domain was created, in UTC"),
    region: z.string().describe("Region the service runs in"),
    capabilities: z
      .object({
        sending: Switch.describe("`enabled` once ownership is verified"),
        receiving: Switch.describe(
          "`enabled` if mailboxes on this server receive the domain's mail",
        ),
      })
      .describe("What the domain can do"),
  })
  .meta({ id: "Domain" });

/** The response to a change of a domain. */
export const DomainReference = z.object({ object, id });

export const DomainId = z.object({ id: z.uuid().toLowerCase().describe("The domain's ID") });

export const DOMAIN_NOT_FOUND = "Domain not found";

/** @param region from the appliance settings */
export function domainObject(domain: Domain & { receives: boolean }, region: string) {
  return {
    object: "domain" as const,
    id: domain.id,
    name: domain.name,
    status: domain.status,
    created_at: apiTimestamp(domain.createdAt),
    region,
    capabilities: {
      sending: toSwitch(domain.ownershipProvenAt !== null),
      receiving: toSwitch(domain.receives),
    },
  };
}

const toSwitch = (isOn: boolean): z.output<typeof Switch> => (isOn ? "enabled" : "disabled");
