import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";

const moment = momentQuery("must be a moment in RFC 3339");

/** What is asked of either direction of the mail log. */
export const LogQuery = z.object({
  search: z.string().max(200).optional(),
  company: z.uuid().optional(),
  from: moment.optional(),
  to: moment.optional().describe("What is before it"),
  before: z.string().max(1_000).optional().describe("The next of the page before"),
});

export const LogPage = z.object({
  next: z.string().nullable(),
  is_cut_short: z.boolean().describe("The search stopped here: older entries may fit too"),
});
