import { VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import type { EmailFilterParams } from "./filter-params.ts";
import classes from "./email-list.module.css";
import { EmailStatus } from "./email-status.tsx";
import { type EmailRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  to: { area: "to", header: "To", kind: "name" },
  subject: { area: "subject", header: "Subject", kind: "text" },
  domain: { area: "domain", header: "Domain", kind: "text", isMuted: true, isOptional: true },
  key: { area: "key", header: "Sent by", kind: "text", isMuted: true, isOptional: true },
  status: { area: "status", header: "Status", kind: "status" },
  sent: { area: "sent", header: "Sent", kind: "moment" },
} satisfies Record<string, ListColumn>;

/** Hides the column of a filtered value, since all rows share it. */
function layoutFor({ domain, key }: EmailFilterParams) {
  const { domain: domainColumn, key: keyColumn, status, sent, ...first } = columns;
  const name = domain && key ? "bare" : domain ? "withoutDomain" : key ? "withoutKey" : "grid";
  return {
    grid: classes[name],
    columns: {
      ...first,
      ...(!domain && { domain: domainColumn }),
      ...(!key && { key: keyColumn }),
      status,
      sent,
    },
  };
}

export function EmailList({ emails, filters }: { emails: EmailRow[]; filters: EmailFilterParams }) {
  return (
    <ListTable label="Emails, newest first" {...layoutFor(filters)}>
      {emails.map((email) => (
        <ListRow key={email.id}>
          <ListCell column={columns.to}>
            <ListRowLink href={`/console/emails/${email.id}`}>
              {email.to[0] ?? "(no To address)"}
            </ListRowLink>
            <MoreRecipients count={Math.max(email.to.length - 1, 0) + email.further_recipients} />
          </ListCell>
          <ListCell column={columns.subject}>{email.subject || "(no subject)"}</ListCell>
          {!filters.domain && <ListCell column={columns.domain}>{email.domain}</ListCell>}
          {!filters.key && <ListCell column={columns.key}>{email.key ?? "Console"}</ListCell>}
          <ListCell column={columns.status}>
            <EmailStatus state={email.status} />
            <TroubleIcon of={email.troubles} />
          </ListCell>
          <ListCell column={columns.sent}>
            <RelativeTime at={email.moment} />
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function MoreRecipients({ count }: { count: number }) {
  if (count === 0) return null;
  return <span className={classes.more}>+{count}</span>;
}

const troubleLabels: Record<EmailRow["troubles"][number], string> = {
  bounced: "Bounced for at least one recipient",
  failed: "Failed for at least one recipient",
  suppressed: "Not sent to at least one suppressed address",
  complained: "Marked as spam by at least one recipient",
};

/** Flags problems with some recipients that the status, which shows only the newest event, doesn't show. */
function TroubleIcon({ of }: { of: EmailRow["troubles"] }) {
  if (of.length === 0) return null;
  const words = of.map((trouble) => troubleLabels[trouble]).join(". ");
  const isQuiet = of.every((trouble) => trouble === "suppressed");
  return (
    <span className={classes.troubles} data-quiet={isQuiet || undefined} title={words}>
      <IconAlertTriangle size={14} aria-hidden="true" />
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}

export function EmailListSkeleton({ filters = {} }: { filters?: EmailFilterParams }) {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layoutFor(filters)} />;
}
