import { z } from "zod";

import { sortQuery } from "#server/console/sort-query.ts";

/** Which groups to list, and in which order. */
export const GroupSearchQuery = z.object({
  search: z
    .string()
    .max(200)
    .optional()
    .describe("Part of the address, name, or a member's address"),
  sort: sortQuery(["address", "name", "members"], "address"),
});
