"use client";

import { Skeleton } from "@mantine/core";
import Link from "next/link";

import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { useRowKeys } from "#app/console/ui/use-row-keys.ts";

import classes from "./email-list.module.css";
import { EmailStatus } from "./email-status.tsx";
import { type EmailRow, ROWS_PER_PAGE } from "./queries.ts";

// One markup for both: on a phone the style sheet makes cards of the rows. The roles are spelled out
// since a row that is laid out as a grid loses its own.
export function EmailList({ emails, label }: { emails: EmailRow[]; label: string }) {
  const table = useRowKeys<HTMLTableElement>();
  return (
    <table ref={table} role="table" className={classes.table} aria-label={label}>
      <Head />
      <tbody role="rowgroup">
        {emails.map((email) => (
          <tr key={email.id} role="row" className={classes.row}>
            <td role="cell" className={classes.to}>
              <Link href={`/console/emails/${email.id}`} data-row-link className={classes.link}>
                {email.to[0]}
              </Link>
              <More count={email.to.length - 1 + email.further_recipients} />
            </td>
            <td role="cell" className={classes.subject}>
              {email.subject}
            </td>
            <td role="cell" className={classes.status}>
              <EmailStatus state={email.status} />
            </td>
            <td role="cell" className={classes.sent}>
              <RelativeMoment at={email.moment} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Head() {
  return (
    <thead role="rowgroup" className={classes.head}>
      <tr role="row" className={classes.columns}>
        <th role="columnheader">To</th>
        <th role="columnheader">Subject</th>
        <th role="columnheader">Status</th>
        <th role="columnheader" className={classes.sent}>
          Sent
        </th>
      </tr>
    </thead>
  );
}

function More({ count }: { count: number }) {
  if (count === 0) return null;
  return <span className={classes.more}>+{count}</span>;
}

export function EmailListSkeleton() {
  return (
    <div className={classes.table}>
      <div className={classes.columns} />
      {Array.from({ length: ROWS_PER_PAGE }, (_, row) => (
        <div key={row} className={classes.row}>
          <span className={classes.to}>
            <Skeleton height={12} width={`${60 + ((row * 7) % 30)}%`} />
          </span>
          <span className={classes.subject}>
            <Skeleton height={12} width={`${40 + ((row * 13) % 45)}%`} />
          </span>
          <span className={classes.status}>
            <Skeleton height={12} width={76} />
          </span>
          <span className={classes.sent}>
            <Skeleton height={12} width={88} />
          </span>
        </div>
      ))}
    </div>
  );
}
