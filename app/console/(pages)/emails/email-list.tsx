import { VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";

import type { EmailFilters } from "./email-filters.ts";
import classes from "./email-list.module.css";
import { EmailStatus } from "./email-status.tsx";
import { type EmailRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  to: { area: "to", head: "To", kind: "name" },
  subject: { area: "subject", head: "Subject", kind: "text" },
  domain: { area: "domain", head: "Domain", kind: "text", isQuiet: true, isExtra: true },
  key: { area: "key", head: "Sent by", kind: "text", isQuiet: true, isExtra: true },
  status: { area: "status", head: "Status", kind: "status" },
  sent: { area: "sent", head: "Sent", kind: "moment" },
} satisfies Record<string, Column>;

/** What all rows have in common needs no column. */
function layoutFor({ domain, key }: EmailFilters) {
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

export function EmailList({ emails, filters }: { emails: EmailRow[]; filters: EmailFilters }) {
  return (
    <ListTable label="Emails, newest first" {...layoutFor(filters)}>
      {emails.map((email) => (
        <ListRow key={email.id}>
          <Cell of={columns.to}>
            <RowLink href={`/console/emails/${email.id}`}>
              {email.to[0] ?? "(no To address)"}
            </RowLink>
            <More count={Math.max(email.to.length - 1, 0) + email.further_recipients} />
          </Cell>
          <Cell of={columns.subject}>{email.subject || "(no subject)"}</Cell>
          {!filters.domain && <Cell of={columns.domain}>{email.domain}</Cell>}
          {!filters.key && <Cell of={columns.key}>{email.key ?? "Console"}</Cell>}
          <Cell of={columns.status}>
            <EmailStatus state={email.status} />
            <Troubles of={email.troubles} />
          </Cell>
          <Cell of={columns.sent}>
            <RelativeMoment at={email.moment} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function More({ count }: { count: number }) {
  if (count === 0) return null;
  return <span className={classes.more}>+{count}</span>;
}

const troubleWords: Record<EmailRow["troubles"][number], string> = {
  bounced: "Bounced for a recipient",
  failed: "Failed for a recipient",
  suppressed: "Skipped a suppressed address",
  complained: "A recipient complained",
};

/** What the state, which is that of the newest event, keeps quiet about. */
function Troubles({ of }: { of: EmailRow["troubles"] }) {
  if (of.length === 0) return null;
  const words = of.map((trouble) => troubleWords[trouble]).join(". ");
  const isQuiet = of.every((trouble) => trouble === "suppressed");
  return (
    <span className={classes.troubles} data-quiet={isQuiet || undefined} title={words}>
      <IconAlertTriangle size={14} aria-hidden="true" />
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}

export function EmailListSkeleton({ filters = {} }: { filters?: EmailFilters }) {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layoutFor(filters)} />;
}
