import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { countRecipients } from "./recipients.ts";

/** Records that an admin sends an email from the console, in the transaction that accepts it. */
export const recordConsoleSend = (
  ctx: Context,
  email: { id: string; input: EmailInput },
): Promise<void> =>
  recordAudit(ctx, "email.sent", {
    email: email.id,
    from: email.input.fromAddress.address,
    recipients: countRecipients(email.input),
  });
