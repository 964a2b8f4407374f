import type { MailboxRow } from "./queries.ts";
import { fullness, fullnessMeaning, sizeInWords } from "./mailbox-words.ts";
import classes from "./usage-bar.module.css";

const MB = 1024 * 1024;

/** How much of its size a mailbox uses: in words, and as a bar beside them. */
export function UsageBar({ of: mailbox }: { of: Pick<MailboxRow, "used_bytes" | "quota_mb"> }) {
  const share = fullness(mailbox);
  return (
    <span className={classes.usage}>
      <span className={classes.bar} data-meaning={fullnessMeaning(share)} aria-hidden="true">
        <span style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </span>
      <span className={classes.words}>
        {sizeInWords(mailbox.used_bytes)} of {sizeInWords(mailbox.quota_mb * MB)}
      </span>
    </span>
  );
}
