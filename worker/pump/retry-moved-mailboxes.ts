import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";

import type { LocalAddresses } from "./plan-deliveries.ts";

const RETRY_MS = 2_000;

/**
 * Lets deliveries be retried within seconds if they were deferred because the mailbox was switched to another mail host
 * meanwhile. Never throws: other recipients may have the message, and repeating the envelope would deliver it twice.
 *
 * @param resolved where the mailboxes were before the delivery
 */
export async function retryMovedMailboxes(
  db: Db,
  outcomes: Outcome[],
  resolved: LocalAddresses["resolved"],
): Promise<Outcome[]> {
  const hostBefore = (recipient: string) => hostOf(resolved, recipient);
  const deferred = outcomes
    .filter(({ result, recipient }) => result === "delayed" && hostBefore(recipient) !== null)
    .map(({ recipient }) => recipient);
  if (deferred.length === 0) return outcomes;
  const current = await resolveRecipients(db, deferred).catch(() => resolved);
  const moved = new Set(
    deferred.filter((recipient) => {
      const host = hostOf(current, recipient);
      return host !== null && host !== hostBefore(recipient);
    }),
  );
  return outcomes.map((outcome) =>
    moved.has(outcome.recipient)
      ? {
          ...outcome,
          message: "The mailbox was just moved to another mail host",
          retryAt: Date.now() + RETRY_MS,
        }
      : outcome,
  );
}

/** The mail host that stores a recipient's mailbox; null without one. */
function hostOf(resolved: LocalAddresses["resolved"], recipient: string): string | null {
  const found = resolved.get(recipient);
  return found?.kind === "mailbox" ? found.storeHost : null;
}
