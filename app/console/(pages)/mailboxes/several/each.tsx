import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { StatusDot, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./each.module.css";

/** Each of several mailboxes with a word about it, those that are left out first. */
export function Each({
  label,
  entries,
}: {
  label: string;
  entries: {
    mailbox: Pick<MailboxRow, "id">;
    isActed: boolean;
    words: string;
    tone?: StatusTone;
  }[];
}) {
  const sorted = entries.toSorted((a, b) => Number(a.isActed) - Number(b.isActed));
  return (
    <ul className={classes.each} aria-label={label} tabIndex={0}>
      {sorted.map(({ mailbox, isActed, words, tone = isActed ? "info" : "none" }) => (
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
