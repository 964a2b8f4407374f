import type { Webhook } from "#drizzle/schema/index.ts";
import { open } from "#server/core/shared/secrets/seal.ts";

/**
 * A webhook as its company sees it: with the secret in the clear. It is opened when it is read, so that a
 * webhook is there to be given a new one when the old one cannot be opened.
 */
export type ShownWebhook = Omit<Webhook, "sealedSecret"> & { signingSecret: string };

export const shownWebhook = ({ sealedSecret, ...webhook }: Webhook): ShownWebhook => ({
  ...webhook,
  get signingSecret() {
    return open(sealedSecret);
  },
});
