import { z } from "zod";

import { accountTimestamp } from "#server/account/timestamp.ts";
import { readOwnQuarantine } from "#server/core/mail/quarantine/own-quarantine.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listOwnQuarantine = defineEndpoint({
  method: "GET",
  path: "/account/api/quarantine",
  summary: "List the messages to the mailbox that are in quarantine",
  permission: "account",
  privilege: null,
  response: z.object({
    is_visible: z.boolean().describe("False if the company doesn’t show the quarantine"),
    data: z
      .array(
        z.object({
          id: z.string(),
          reason: z.enum(["spam", "virus"]),
          from: z.string(),
          subject: z.string(),
          created_at: z.string(),
          can_release: z.boolean(),
        }),
      )
      .describe("Newest first, at most 200"),
  }),
  refusals: [],
  async handle({ ctx, mailbox }) {
    const { isVisible, canRelease, messages } = await readOwnQuarantine(ctx, mailbox.address);
    return {
      is_visible: isVisible,
      data: messages.map(({ id, reason, headerFrom, sender, subject, createdAt }) => ({
        ...{ id, from: headerFrom || sender, subject, created_at: accountTimestamp(createdAt) },
        reason: reason === "virus" ? reason : ("spam" as const),
        can_release: canRelease && reason === "spam",
      })),
    };
  },
});
