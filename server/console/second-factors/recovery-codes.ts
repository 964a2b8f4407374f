import { z } from "zod";

export const RecoveryCodes = z
  .array(z.string())
  .describe("Shown once: with the first factor, or when regenerated");
