import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";

const moment = momentQuery("must be an RFC 3339 timestamp");

/** Filters for incoming and outgoing entries. */
export const LogQuery = z.object({
  search: z.string().max(200).optional(),
  company: z.uuid().optional(),
  from: moment.optional(),
  to: moment.optional().describe("Exclusive"),
  before: z.string().max(1_000).optional().describe("`next` of the previous page"),
});

export const LogPage = z.object({
  next: z.string().nullable(),
  is_cut_short: z.boolean().describe("The search stopped early; older entries may match too"),
});
