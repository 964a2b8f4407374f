import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { StatusDot, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./mailbox-result-list.module.css";

/** One line per mailbox, skipped ones first. */
export function MailboxResultList({
  label,
  entries,
}: {
  label: string;
  entries: {
    mailbox: Pick<MailboxRow, "id">;
    isIncluded: boolean;
    words: string;
    tone?: StatusTone;
  }[];
}) {
  const sorted = entries.toSorted((a, b) => Number(a.isIncluded) - Number(b.isIncluded));
  return (
    <ul className={classes.each} aria-label={label} tabIndex={0}>
      {sorted.map(({ mailbox, isIncluded, words, tone = isIncluded ? "info" : "none" }) => (
        <li key={mailbox.id} className={classes.entry}>
          <span className={classes.address}>{mailbox.id}</span>
          <span className={classes.words}>
            <StatusDot tone={tone} />
            {words}
          </span>
        </li>
      ))}
    </ul>
  );
}
