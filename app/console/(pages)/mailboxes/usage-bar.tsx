import { formatBytes, MB } from "#app/console/ui/format.ts";

import type { MailboxRow } from "./queries.ts";
import { usageRatio, usageTone } from "./mailbox-labels.ts";
import classes from "./usage-bar.module.css";

/**
 * Storage use as text with a bar.
 *
 * @param isInList aligns the text to the end of the column
 */
export function UsageBar({
  of: mailbox,
  isInList,
}: {
  of: Pick<MailboxRow, "usedBytes" | "quotaMb">;
  isInList?: boolean;
}) {
  const share = usageRatio(mailbox);
  return (
    <span className={classes.usage} data-apart={isInList}>
      <span className={classes.bar} data-tone={usageTone(share)} aria-hidden="true">
        <span style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </span>
      <span className={classes.words}>
        {formatBytes(mailbox.usedBytes)} of {formatBytes(mailbox.quotaMb * MB)}
      </span>
    </span>
  );
}
