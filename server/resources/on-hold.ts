import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  containMailbox,
  type HeldMailbox,
  listHeld,
  releaseSending,
} from "#server/core/mail/guard/guard.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

const MailboxPath = z.object({ mailbox: z.string() });

function shownHeld(held: HeldMailbox) {
  const { address: mailbox, name, messages, recipients, clientAddresses } = held;
  return {
    mailbox,
    name,
    messages,
    recipients,
    since: consoleTimestamp(held.since),
    clientAddresses,
    sample: held.sample.map(({ subject, recipients, more, sentAt }) => ({
      subject,
      recipients,
      more,
      sentAt: consoleTimestamp(sentAt),
    })),
  };
}

/** Mailboxes whose sending is on hold. */
export const onHoldConsole = pageEndpoints("console", "onHold", {
  list: read({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    handle: async ({ ctx, signedIn }) => ({ data: (await listHeld(ctx, signedIn)).map(shownHeld) }),
  }),

  release: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    handle: ({ ctx, signedIn, params }) => releaseSending(ctx, params.mailbox, signedIn),
  }),

  /** Doesn't wait for the mail server: sessions it can't end now end shortly after. */
  containMailbox: change({
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    handle: ({ ctx, signedIn, params }) => containMailbox(ctx, params.mailbox, signedIn),
  }),
});
