import { z } from "zod";

export const RecoveryCodes = z
  .array(z.string())
  .describe("Shown once; with a first factor, or new ones");
