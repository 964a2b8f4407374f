import { mapRows } from "#server/console/export-pages.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { readWholeTeam, type ShownAdmin } from "#server/core/access/admins/team.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { TeamSearchQuery } from "./team-search.ts";

const COLUMNS = [
  ...["email", "name", "owner", "roles", "direct_privileges", "second_factor", "access"],
  ...["last_seen_at", "created_at"],
];

export const exportTeam = defineEndpoint({
  method: "GET",
  path: "/console/api/team/export",
  summary: "Export the company's admins as CSV",
  permission: "console",
  privilege: "manage_admins",
  query: TeamSearchQuery,
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, query: { search, sort } }) {
    const pages = mapRows(readWholeTeam(ctx, search || null, sort), toCells);
    return csvDownload("team.csv", COLUMNS, pages);
  },
});

const toCells = (admin: ShownAdmin) => [
  ...[admin.email, admin.name, admin.isOwner],
  ...[admin.roles.map(roleName).join(", "), admin.privileges.join(", ")],
  ...[admin.hasSecondFactor, admin.disabledAt === null],
  admin.lastSeenAt && consoleTimestamp(admin.lastSeenAt),
  consoleTimestamp(admin.createdAt),
];

const roleName = ({ name, unitName }: ShownAdmin["roles"][number]) =>
  unitName === null ? name : `${name} (${unitName})`;
