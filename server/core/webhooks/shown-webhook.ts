import type { Webhook } from "#drizzle/schema/index.ts";
import { open } from "#server/core/secrets/seal.ts";

/** A webhook as its company sees it: with the secret in the clear. */
export type ShownWebhook = Omit<Webhook, "sealedSecret"> & { signingSecret: string };

export const shownWebhook = ({ sealedSecret, ...webhook }: Webhook): ShownWebhook => ({
  ...webhook,
  signingSecret: open(sealedSecret),
});
