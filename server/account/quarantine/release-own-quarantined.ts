import { z } from "zod";

import { releaseToMailbox } from "#server/core/mail/quarantine/release-to-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const releaseOwnQuarantined = defineEndpoint({
  method: "POST",
  path: "/account/api/quarantine/{id}/release",
  summary: "Release a message from quarantine to the mailbox",
  permission: "account",
  privilege: null,
  params: z.object({ id: z.uuid() }),
  notFound: "Message not found in quarantine",
  response: z.object({ released: z.literal(true) }),
  refusals: ["not_found", "not_allowed", "invalid"],
  async handle({ ctx, mailbox, params }) {
    await releaseToMailbox(ctx, mailbox.address, params.id);
    return { released: true as const };
  },
});
