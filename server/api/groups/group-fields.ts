import { z } from "zod";

/** Core validates the addresses one by one and names the first invalid one. */
export const Members = z
  .array(z.unknown())
  .nullish()
  .meta({ type: "array", items: { type: "string" }, maxItems: 200 });

export const Name = z.string().nullish().meta({ type: "string", maxLength: 160 });
