import { z } from "zod";

import { composeSource } from "#server/core/sending/emails/compose-source.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";

/** A page shows no more of a message: files are long. */
const SHOWN_MAX = 200_000;

export const getEmailSource = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/source",
  summary: "Read the message of an email, as it goes over the wire before it is signed",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  query: z.object({ whole: z.literal("true").optional().describe("However long it is") }),
  response: z.object({
    message: z.string().describe("ASCII throughout, lines that end with CRLF"),
    size: z.number().describe("Octets of the whole message"),
  }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query: { whole } }) => {
    const message = await composeSource(ctx, params.id);
    const shown = whole ? message : message.subarray(0, SHOWN_MAX);
    return { message: shown.toString("latin1"), size: message.length };
  },
});
