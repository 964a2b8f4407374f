import { z } from "zod";

export const InboundAddressRow = z.object({
  /** `*@example.com` is a catch-all. */
  address: z.string(),
  created_at: z.string(),
});

export const InboundAddressPath = z.object({ address: z.string() });
