import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";

import { checkContent } from "./check-content.ts";
import type { Door, Incoming, Taker } from "./door.ts";
import { onMessage } from "./on-message.ts";
import { SmtpReply } from "./smtp-reply.ts";

/**
 * Takes a whole message in, for each of its recipients. What it says or becomes is committed, or in the
 * mailboxes, when this resolves, and only then does the listener say 250.
 *
 * @returns whether it was for mailboxes or groups and not suspicious
 * @throws SmtpReply for one to be refused, or to be sent again
 */
export async function onData(
  message: Buffer,
  incoming: Incoming,
  door: Door,
): Promise<{ isClean: boolean }> {
  checkContent(message);
  const { own, people } = parted(incoming.takers);
  // Handed in twice it counts once: so these are first, should the rest have to come again.
  for (const { address } of own) {
    const taken = await handleIncoming(door.db, address, message);
    door.log.info({ to: address, taken }, "took in a message");
    if (taken.as === "too_early")
      throw new SmtpReply(451, "4.3.0", "The delivery is still being recorded, try again later");
  }
  if (people.length === 0) return { isClean: false };
  return onMessage(message, { ...incoming, people }, door);
}

function parted(takers: Taker[]) {
  const own: Extract<Taker, { is: "own" }>[] = [];
  const people: Exclude<Taker, { is: "own" }>[] = [];
  for (const taker of takers) {
    if (taker.is === "own") own.push(taker);
    else people.push(taker);
  }
  return { own, people };
}
