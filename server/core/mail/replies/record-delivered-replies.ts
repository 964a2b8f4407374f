import { createContext } from "#server/core/shared/context.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { type PossibleReply, recordReply } from "./record-reply.ts";

const logger = createLogger("mail");

/**
 * Records a message that mailboxes and groups have as a reply to their companies' emails, if it is one. Never throws:
 * the message is delivered, and the sender must not repeat it.
 */
export async function recordDeliveredReplies(
  db: Db,
  message: Pick<PossibleReply, "message" | "sender">,
  recipients: { address: string; written?: string; companyId: string }[],
): Promise<void> {
  const byCompany = Map.groupBy(recipients, ({ companyId }) => companyId);
  for (const [companyId, all] of byCompany)
    try {
      const ctx = createContext(db, companyId, { kind: "system", task: "record_reply" });
      const receivedFor = all.map(({ address, written = address }) => written);
      if ((await recordReply(ctx, { ...message, receivedFor })) !== null) wakeWebhooks(db);
    } catch (error) {
      logger.error({ err: error, companyId }, "could not record a reply");
    }
}
