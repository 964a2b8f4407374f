import type { Webhook } from "#drizzle/schema/index.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";

/**
 * A webhook with its secret in plain text. Decrypted on access, so that a webhook whose secret can't be
 * decrypted can still be read, and its secret rotated.
 */
export type ShownWebhook = Omit<Webhook, "sealedSecret"> & { signingSecret: string };

export const shownWebhook = ({ sealedSecret, ...webhook }: Webhook): ShownWebhook => ({
  ...webhook,
  get signingSecret() {
    return unseal("webhook_secret", sealedSecret);
  },
});
