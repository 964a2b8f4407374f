import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";

import { acceptEmails } from "./accept-emails.ts";
import type { EmailInput } from "./email-input.ts";
import { requireAccepted, isAccepted } from "./internal/require-accepted.ts";
import type { SendingKey } from "./internal/sending-key.ts";

/**
 * Accepts one email and queues or schedules it. On return the email, its events, its outbox rows and the
 * answer of `keyLock` are committed.
 *
 * @param givenId a UUIDv7, for an email whose message already contains it
 * @throws Refusal `account_inactive`, `invalid_from_address`, `domain_not_verified`, `rate_limit_exceeded` or
 *   `monthly_quota_exceeded`, with nothing stored; `application_error` if the outbox accepts nothing now,
 *   with the email recorded as failed
 */
export async function sendEmail(
  ctx: Context,
  key: SendingKey,
  input: EmailInput,
  keyLock: KeyLock | null = null,
  givenId?: string,
): Promise<{ id: string }> {
  const [result] = await acceptEmails(ctx.db, {
    companyId: ctx.companyId,
    key,
    emails: [input],
    ...(givenId !== undefined && { ids: [givenId] }),
    allOrNone: true,
    keyLock,
    toAnswer: ([result]) => (isAccepted(result!) ? { id: result.id } : null),
  });
  const id = requireAccepted(result!);
  wakePump(ctx.db);
  return { id };
}
