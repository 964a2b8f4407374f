import { exportPages } from "#server/console/export-pages.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { type FoundEmail, searchEmails } from "#server/core/sending/emails/search-emails.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { emailFilters, EmailSearchQuery } from "./email-query.ts";

const COLUMNS = [
  ...["id", "created_at", "scheduled_at", "status", "from", "to", "cc", "bcc", "subject"],
  ...["api_key", "tags"],
];

export const exportEmails = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/export",
  summary: "Export emails as CSV, without their content",
  permission: "console",
  privilege: "api_controls",
  query: EmailSearchQuery,
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, query: { sort, ...query } }) {
    const filters = emailFilters(query);
    const pages = exportPages((page) => searchEmails(ctx, page, filters), sort.direction, toCells);
    return csvDownload("emails.csv", COLUMNS, pages);
  },
});

const toCells = (email: FoundEmail) => [
  ...[email.id, consoleTimestamp(email.createdAt)],
  ...[email.scheduledAt && consoleTimestamp(email.scheduledAt), email.lastEvent, email.from],
  ...[email.to.join(", "), email.cc.join(", "), email.bcc.join(", "), email.subject, email.apiKey],
  email.tags.map(({ name, value }) => `${name}=${value}`).join(", "),
];
