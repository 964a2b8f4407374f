import { z } from "zod";

import { fetchRemoteImage } from "#server/core/sending/remote-images/fetch-remote-image.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const loadRemoteImage = defineEndpoint({
  method: "POST",
  path: "/console/api/remote-images",
  summary: "Fetch an image of an email from its server, to show it",
  permission: "console",
  privilege: "api_controls",
  // In the body, so that no log has the URL, which may identify the recipient.
  body: z.object({ url: z.string().max(4_000) }),
  response: z.object({ type: z.string(), content: z.string().describe("Base64") }),
  refusals: ["invalid"],
  async handle({ body }) {
    const { type, content } = await fetchRemoteImage(body.url);
    return { type, content: content.toString("base64") };
  },
});
