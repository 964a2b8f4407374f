import { z } from "zod";

import { composeSource } from "#server/core/sending/emails/compose-source.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";

/** Larger sources are truncated, since attachments would make the page slow. */
const TRUNCATED_BYTES = 200_000;

export const getEmailSource = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/source",
  summary: "Retrieve the start of the message source as sent, before DKIM signing",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  response: z.object({
    message: z.string().describe("ASCII, with CRLF line endings"),
    size: z.number().describe("Size of the whole message in bytes"),
  }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params }) => {
    const message = await composeSource(ctx, params.id);
    const shown = message.subarray(0, TRUNCATED_BYTES);
    return { message: shown.toString("latin1"), size: message.length };
  },
});
