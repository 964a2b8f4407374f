import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { readOwnQuarantine } from "#server/core/mail/quarantine/own-quarantine.ts";
import { releaseToMailbox } from "#server/core/mail/quarantine/release-quarantined.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

export const quarantineAccount = pageEndpoints("account", "quarantine", {
  list: read({
    permission: "account",
    privilege: null,
    async handle({ ctx, mailbox }) {
      const { isVisible, canRelease, messages } = await readOwnQuarantine(ctx, mailbox.address);
      return {
        isVisible,
        data: messages.map(({ id, reason, headerFrom, sender, subject, createdAt }) => ({
          id,
          from: headerFrom || sender,
          subject,
          createdAt: consoleTimestamp(createdAt),
          reason: reason === "virus" ? reason : ("spam" as const),
          canRelease: canRelease && reason === "spam",
        })),
      };
    },
  }),

  release: change({
    permission: "account",
    privilege: null,
    params: z.object({ id: z.uuid() }),
    notFound: "Message not found in quarantine",
    async handle({ ctx, mailbox, params }) {
      await releaseToMailbox(ctx, mailbox.address, params.id);
      return { released: true as const };
    },
  }),
});
