import { listReceipts } from "#server/core/sending/receipts/list-receipts.ts";
import { Download, DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";

/** More than an email can have. */
const ALL = { limit: 1_000, after: null, before: null };

export const downloadReceipts = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/receipts/file",
  summary: "Download the delivery receipts of an email",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  response: DownloadSchema,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => {
    const { rows } = await listReceipts(ctx, id, ALL);
    const receipts = rows.map(({ claims, signature }) => ({ ...claims, signature }));
    const text = JSON.stringify({ data: receipts }, null, 2);
    return new Download(`receipts-${id}.json`, "application/json", Buffer.from(text));
  },
});
