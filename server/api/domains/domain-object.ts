import { z } from "zod";

import type { Domain } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

const Switch = z.enum(["enabled", "disabled"]);

const object = z.literal("domain").describe("What kind of object this is");
const id = z.uuid().describe("Id of the domain; serves as cursor");

/** A domain as lists show it. */
export const DomainObject = z
  .object({
    object,
    id,
    name: z.string().describe("The domain name, in lower case"),
    status: z
      .enum(["not_started", "pending", "partially_verified", "verified"])
      .describe(
        "`not_started`: its records were never looked for. `pending`: neither SPF nor DKIM was found, or the ownership is not proven yet. `partially_verified`: one of the two was found. `verified`: both, and the domain can send",
      ),
    created_at: z.string().describe("When it was added, in UTC"),
    region: z.string().describe("Where the service runs"),
    capabilities: z
      .object({
        sending: Switch.describe("`enabled` once the ownership is proven"),
        receiving: Switch.describe("`enabled` when its mail comes to mailboxes here"),
      })
      .describe("What the domain is used for"),
  })
  .meta({ id: "Domain" });

/** What answers of domain acts name. */
export const DomainNamed = z.object({ object, id });

export const DomainId = z.object({ id: z.uuid().toLowerCase().describe("Id of the domain") });

export const DOMAIN_NOT_FOUND = "Domain not found";

/** @param region the run-time setting */
export function domainObject(domain: Domain & { receives: boolean }, region: string) {
  return {
    object: "domain" as const,
    id: domain.id,
    name: domain.name,
    status: domain.status,
    created_at: apiTimestamp(domain.createdAt),
    region,
    capabilities: {
      sending: switchOf(domain.ownershipProvenAt !== null),
      receiving: switchOf(domain.receives),
    },
  };
}

const switchOf = (isOn: boolean): z.output<typeof Switch> => (isOn ? "enabled" : "disabled");
