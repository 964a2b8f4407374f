import { z } from "zod";

import { blankIsMissing } from "#server/http/text-fields.ts";

/** Validated in core. */
export const Name = blankIsMissing(z.string())
  .meta({ type: "string", minLength: 1 })
  .describe("Name of the key: 1 to 50 characters after trimming, without control characters");
