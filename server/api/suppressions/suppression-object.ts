import { z } from "zod";

import type { Suppression } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

export const Origin = z.enum(["bounce", "complaint", "manual"]);

const object = z.literal("suppression").describe("What kind of object this is");
const id = z.uuid().describe("Id of the suppression; serves as cursor");

/** An address that the company's emails skip. */
export const SuppressionObject = z
  .object({
    object,
    id,
    email: z.string().describe("The address, in lower case"),
    origin: Origin.describe(
      "Why it is skipped: an email to it bounced for good, its owner reported one as spam, or it was added manually",
    ),
    source_id: z
      .uuid()
      .nullable()
      .describe("Id of the email that bounced or was reported; null for `manual`"),
    created_at: z.string().describe("When it came onto the list"),
  })
  .meta({ id: "Suppression" });

/** Part of a path: an address has an at sign, and no id has one. */
export const IdOrAddress = z.object({
  id: z
    .string()
    .describe("Id of the suppression, or the suppressed address in any case, URL-encoded or not"),
});

/** Answer of a call that adds: the id is all there is to know. */
export const SuppressionAdded = z.object({ object, id }).meta({ id: "SuppressionAdded" });

export const SuppressionRemoved = z
  .object({ object, id, deleted: z.literal(true).describe("It is no longer on the list") })
  .meta({ id: "SuppressionRemoved" });

export function suppressionObject(row: Suppression): z.input<typeof SuppressionObject> {
  return {
    object: "suppression",
    id: row.id,
    email: row.email,
    origin: row.origin,
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
