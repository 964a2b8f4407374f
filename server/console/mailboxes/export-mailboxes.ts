import { mapRows } from "#server/console/export-pages.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import {
  readAllMailboxes,
  type ShownMailbox,
} from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxSearchQuery, readMailboxSearch } from "./mailbox-filter.ts";

const COLUMNS = [
  ...["address", "name", "unit", "suspended", "sending_on_hold", "password_change_required"],
  ...["storage_limit_mb", "used_bytes", "messages", "last_sign_in_at", "aliases", "created_at"],
];

export const exportMailboxes = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes/export",
  summary: "Export mailboxes as CSV",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: MailboxSearchQuery,
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, signedIn, query }) {
    const pages = readAllMailboxes(ctx, signedIn, readMailboxSearch(query));
    return csvDownload("mailboxes.csv", COLUMNS, mapRows(pages, toCells));
  },
});

const toCells = (mailbox: ShownMailbox) => [
  ...[mailbox.address, mailbox.name, mailbox.orgUnit.name, mailbox.suspendedAt !== null],
  ...[mailbox.sendingHeldAt !== null, mailbox.isPasswordChangeDue, mailbox.quotaMb],
  ...[mailbox.usedBytes, mailbox.messages],
  mailbox.lastSignInAt && consoleTimestamp(mailbox.lastSignInAt),
  ...[mailbox.aliases.join(" "), consoleTimestamp(mailbox.createdAt)],
];
