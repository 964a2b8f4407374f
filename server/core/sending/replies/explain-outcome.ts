import type { EmailEventType } from "#drizzle/schema/index.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";

import { type Explanation, explainReply } from "./explain-reply.ts";

/** An event of an email, or a recipient's outcome. */
type Outcome = {
  type: EmailEventType;
  recipient: string | null;
  dsn: string | null;
  message: string | null;
  reason: string | null;
};

const ADVICE: Partial<Record<EmailEventType, string>> = {
  suppressed: "Remove it from the suppression list if it can receive mail again.",
  failed: "Fix this, then resend.",
};

/** Explains an outcome and what to do about it; null if the state says it all. */
export function explainOutcome({
  type,
  recipient,
  dsn,
  message,
  reason,
}: Outcome): Explanation | null {
  const isDelayed = type === "delivery_delayed";
  if ((type === "bounced" || isDelayed) && recipient !== null)
    return explainReply({
      dsn: dsn ?? "",
      message: message ?? reason ?? "",
      domain: addressDomain(recipient),
      isDelayed,
    });
  return reason === null ? null : { why: `${reason}.`, advice: ADVICE[type] ?? null };
}
