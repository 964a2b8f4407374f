import type { Logger } from "pino";

import { readOwnAddress } from "#server/core/incoming/own-address.ts";
import { takeIncoming } from "#server/core/incoming/take-incoming.ts";
import type { Db } from "#server/db/client.ts";

import { checkContent } from "./check-content.ts";
import { SmtpReply } from "./smtp-reply.ts";

/**
 * Takes a whole message in, for each of its recipients. It is committed when this resolves, and only
 * then does the listener say 250.
 *
 * @param recipients as onRcptTo took them
 * @throws SmtpReply for one to be refused, or to be sent again
 */
export async function onData(
  message: Buffer,
  recipients: string[],
  { db, hostname, log }: { db: Db; hostname: string; log: Logger },
): Promise<void> {
  checkContent(message);
  for (const recipient of new Set(recipients.map((address) => address.toLowerCase()))) {
    const address = readOwnAddress(recipient, hostname);
    if (!address) throw new Error(`${recipient} was taken in RCPT TO and is nobody's now`);
    const taken = await takeIncoming(db, address, message);
    log.info({ to: address, taken }, "took in a message");
    if (taken.as === "too_early")
      throw new SmtpReply(451, "4.3.0", "The delivery is still being recorded, try again later");
  }
}
