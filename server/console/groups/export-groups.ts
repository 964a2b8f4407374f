import { mapRows } from "#server/console/export-pages.ts";
import { readAllGroups } from "#server/core/mailboxes/groups/group-list.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { GroupSearchQuery } from "./group-search.ts";

const COLUMNS = ["address", "name", "active", "posting", "moderation", "replies", "members"];

export const exportGroups = defineEndpoint({
  method: "GET",
  path: "/console/api/groups/export",
  summary: "Export groups as CSV, with their members",
  permission: "console",
  privilege: "view_groups",
  query: GroupSearchQuery,
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, query: { search, sort } }) {
    const pages = mapRows(
      readAllGroups(ctx, { search }, sort),
      ({ address, name, active, posting, moderation, replies, members }) => [
        ...[address, name, active, posting, moderation, replies, members.join(" ")],
      ],
    );
    return csvDownload("groups.csv", COLUMNS, pages);
  },
});
