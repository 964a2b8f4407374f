import { z } from "zod";

import { getReceived as get } from "#server/core/mail/received/get-received.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import {
  RECEIVED_NOT_FOUND,
  receivedObject,
  ReceivedObject,
  ReceivedPath,
} from "./received-object.ts";

export const getReceived = defineEndpoint({
  method: "GET",
  path: "/emails/receiving/{id}",
  summary: "Retrieve a received email",
  permission: "full_access",
  privilege: "api_controls",
  params: ReceivedPath,
  notFound: RECEIVED_NOT_FOUND,
  query: z.object({
    html_format: z
      .enum(["data_uri", "cid"], { error: "must be data_uri or cid" })
      .default("data_uri")
      .describe(
        "Inline images in `html`: as `data:` URLs, up to 5 MB in all, or as `cid:` references to the `content_id` of attachments",
      ),
  }),
  response: ReceivedObject,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, query: { html_format } }) =>
    receivedObject(ctx, await get(ctx, id, { embedsImages: html_format === "data_uri" })),
});
