import type { KeyCaller } from "#server/core/api-keys/authenticate-key.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { wakePump } from "#server/core/outbox/wake-pump.ts";
import { Refusal } from "#server/core/refusals.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput } from "./email-input.ts";
import { requireSendingDomain } from "./require-sending-domain.ts";

/**
 * Accepts one email and hands it to the outbox. When this returns, the email, its history and what
 * has to be delivered are committed.
 *
 * @throws Refusal `account_inactive`, `invalid_from_address` or `domain_not_verified`
 */
export async function sendEmail(
  ctx: Context,
  key: KeyCaller,
  input: EmailInput,
): Promise<{ id: string }> {
  if (!key.company.subscriptionActive)
    throw new Refusal(
      "account_inactive",
      "The company has no active subscription: sending is paused",
    );

  const ids = await inTransaction(ctx, async (ctx) => {
    const domain = await requireSendingDomain(ctx, key, input.fromAddress.address);
    return acceptEmails(ctx, key.keyId, [{ input, domain }]);
  });
  wakePump(ctx.db);
  return { id: ids[0]! };
}
