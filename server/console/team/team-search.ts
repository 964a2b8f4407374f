import { z } from "zod";

import { sortQuery } from "#server/console/sort-query.ts";

/** Which admins to list, and in which order. */
export const TeamSearchQuery = z.object({
  search: z.string().max(200).optional().describe("Part of the address or the name"),
  sort: sortQuery(["email", "name", "seen"], "email"),
});
