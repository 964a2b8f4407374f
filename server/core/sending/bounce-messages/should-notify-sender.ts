import type { RecipientResult } from "./recipient-result.ts";

/** From when on a sender is told that a recipient takes longer; once for each. */
export const DELAY_NOTICE_AFTER_SECONDS = 4 * 60 * 60;

const WORD = { delivered: "success", delayed: "delay", bounced: "failure" } as const;

/**
 * Whether the sender is told of it: of failures unless they wanted otherwise (NOTIFY, RFC 3461, 4.1), of a
 * delay those who have sent it here themselves. Never about a report, nor anybody who may be forged. A
 * failed forward is always returned to its mailbox, which may not have kept a copy.
 */
export function shouldNotifySender(settled: RecipientResult): boolean {
  const { message, result } = settled;
  if (message.origin === "forward" && result === "bounced") return true;
  if (!message.isSenderTold || message.sender === "" || message.origin === "report") return false;
  return isRequested(settled);
}

function isRequested({ message, notify, result, ...settled }: RecipientResult): boolean {
  if (result === "delayed" && (settled.isDelayReported || !isLate(settled))) return false;
  if (notify) return notify.includes(WORD[result]);
  return result === "bounced" || (result === "delayed" && message.origin === "submission");
}

const isLate = ({ waitedSeconds }: Pick<RecipientResult, "waitedSeconds">) =>
  waitedSeconds >= DELAY_NOTICE_AFTER_SECONDS;
