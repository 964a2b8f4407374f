import { z } from "zod";

import type { Suppression } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";
import {
  API_ORIGINS,
  SUPPRESSION_ORIGINS,
} from "#server/core/sending/suppressions/find-suppressed.ts";

export const Origin = z.enum(["bounce", "complaint", "manual"]);

/** The stored origins that the API shows as this one. */
export const storedOrigins = (shown: z.output<typeof Origin>): Suppression["origin"][] =>
  SUPPRESSION_ORIGINS.filter((origin) => API_ORIGINS[origin] === shown);

const object = z.literal("suppression").describe("Object type");
const id = z.uuid().describe("The suppression's ID; also the pagination cursor");

export const SuppressionObject = z
  .object({
    object,
    id,
    email: z.string().describe("Lowercase address"),
    origin: Origin.describe(
      "Why the address is suppressed: a permanent bounce, a spam complaint, or `manual` for an entry by hand and for a recipient who unsubscribed",
    ),
    source_id: z
      .uuid()
      .nullable()
      .describe(
        "ID of the email that bounced, was reported, or was unsubscribed from; null for an entry by hand",
      ),
    created_at: z.string().describe("When the address was added"),
  })
  .meta({ id: "Suppression" });

/** A path parameter. Addresses contain an @, ids don't. */
export const IdOrAddress = z.object({
  id: z
    .string()
    .describe("The suppression's ID or address. Case is ignored; URL-encoding the @ is optional"),
});

export const SuppressionAdded = z.object({ object, id }).meta({ id: "SuppressionAdded" });

export const SuppressionRemoved = z
  .object({ object, id, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "SuppressionRemoved" });

export function suppressionObject(row: Suppression): z.input<typeof SuppressionObject> {
  return {
    object: "suppression",
    id: row.id,
    email: row.email,
    origin: API_ORIGINS[row.origin],
    source_id: row.sourceId,
    created_at: apiTimestamp(row.createdAt),
  };
}

export const suppressionAdded = (id: string) => ({ object: "suppression" as const, id });

export const suppressionRemoved = (id: string) => ({
  object: "suppression" as const,
  id,
  deleted: true as const,
});
