import type { RecipientResult } from "./recipient-result.ts";

/** When senders are notified of a delay; once per recipient. */
export const DELAY_NOTICE_AFTER_SECONDS = 4 * 60 * 60;

const WORD = { delivered: "success", delayed: "delay", bounced: "failure" } as const;

/**
 * Whether to notify the sender: of failures unless opted out (NOTIFY, RFC 3461, 4.1), of delays only for
 * messages submitted here. Never about a bounce message, and never a sender who may be forged. A failed
 * forward always returns to its mailbox, which may not have kept a copy.
 */
export function shouldNotifySender(settled: RecipientResult): boolean {
  const { message, result } = settled;
  if (message.origin === "forward" && result === "bounced") return true;
  if (!message.isSenderTold || message.sender === "" || message.origin === "report") return false;
  return isRequested(settled);
}

function isRequested({ message, notify, result, ...settled }: RecipientResult): boolean {
  if (result === "delivered" && settled.delivery === "transferred") return false;
  if (result === "delayed" && (settled.isDelayReported || !isLate(settled))) return false;
  if (notify) return notify.includes(WORD[result]);
  return result === "bounced" || (result === "delayed" && message.origin === "submission");
}

const isLate = ({ waitedSeconds }: Pick<RecipientResult, "waitedSeconds">) =>
  waitedSeconds >= DELAY_NOTICE_AFTER_SECONDS;
