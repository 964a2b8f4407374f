import { MB } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { MailboxRow } from "./queries.ts";

const MB_PER_GB = 1024;
const NEARLY_FULL = 0.9;

/** The most urgent status wins. */
export function mailboxStatus(
  mailbox: Pick<
    MailboxRow,
    "active" | "sendingHeld" | "passwordChangeDue" | "usedBytes" | "quotaMb"
  >,
): { tone: StatusTone; label: string } {
  if (!mailbox.active) return { tone: "none", label: "Suspended" };
  if (mailbox.sendingHeld) return { tone: "failed", label: "On hold" };
  if (usageRatio(mailbox) >= 1) return { tone: "failed", label: "Full" };
  if (mailbox.passwordChangeDue) return { tone: "waiting", label: "Password change required" };
  return { tone: "done", label: "Active" };
}

export const SIZE_HELP = "You can also enter a value such as 10 GB.";

/**
 * Parses a size in MB, with or without thousands separators or a unit ("1.5 GB").
 *
 * @returns undefined for empty input; 0, which the server rejects, for invalid input
 */
export function parseSizeMb(text: string): number | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  const [, plain] = /^(\d+(?:[ ,\u00a0]\d{3})*)(?: ?MB)?$/i.exec(typed) ?? [];
  if (plain !== undefined) return Number(plain.replace(/\D/g, ""));
  const [, whole] = /^(\d+(?:\.\d+)?) ?GB$/i.exec(typed) ?? [];
  return whole === undefined ? 0 : Math.round(Number(whole) * MB_PER_GB);
}

/** From 0 to 1, or above when over quota. */
export const usageRatio = ({ usedBytes, quotaMb }: Pick<MailboxRow, "usedBytes" | "quotaMb">) =>
  usedBytes / (quotaMb * MB);

export function usageTone(share: number): StatusTone {
  if (share >= 1) return "failed";
  return share >= NEARLY_FULL ? "waiting" : "info";
}

export const mailboxUrl = (address: string) => `/console/mailboxes/${encodeURIComponent(address)}`;
