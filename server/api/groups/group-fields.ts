import { z } from "zod";

/** Checked one by one in the core, where the first that is wrong is named. */
export const Members = z
  .array(z.unknown())
  .nullish()
  .meta({ type: "array", items: { type: "string" }, maxItems: 200 });

export const Name = z.string().nullish().meta({ type: "string", maxLength: 160 });
