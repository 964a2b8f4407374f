import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";

import classes from "./email-list.module.css";
import { EmailStatus } from "./email-status.tsx";
import { type EmailRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  to: { area: "to", head: "To", kind: "name" },
  subject: { area: "subject", head: "Subject", kind: "text" },
  status: { area: "status", head: "Status", kind: "status" },
  sent: { area: "sent", head: "Sent", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function EmailList({ emails }: { emails: EmailRow[] }) {
  return (
    <ListTable label="Emails, newest first" {...layout}>
      {emails.map((email) => (
        <ListRow key={email.id}>
          <Cell of={columns.to}>
            <RowLink href={`/console/emails/${email.id}`}>{email.to[0]}</RowLink>
            <More count={email.to.length - 1 + email.further_recipients} />
          </Cell>
          <Cell of={columns.subject}>{email.subject}</Cell>
          <Cell of={columns.status}>
            <EmailStatus state={email.status} />
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

export function EmailListSkeleton() {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layout} />;
}
