import { z } from "zod";
import { isOneLine } from "#server/core/shared/one-line.ts";

export const InboundAddressRow = z.object({
  /** `*@example.com` is a catch-all. */
  address: z.string(),
  created_at: z.string(),
});

export const InboundAddressPath = z.object({ address: z.string().refine(isOneLine) });
