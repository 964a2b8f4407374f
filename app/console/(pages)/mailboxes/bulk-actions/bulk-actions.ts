import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { formatBytes, formatCount, MB, pluralize } from "#app/console/ui/format.ts";

import { removeMailbox, resetMailboxPassword, patchMailbox } from "./requests.ts";

export type BulkActionName = "suspend" | "restore" | "reset" | "move" | "resize" | "delete";

export type BulkActionInput = { unit?: { id: number; name: string }; sizeMb?: number };

/** The effect on one mailbox, or why it is skipped. */
type Preview = { isIncluded: boolean; words: string };

export type BulkAction = {
  /** "Suspend" */
  verb: string;
  /** Defaults to mailboxes; for example "11 passwords". */
  countNoun?: (count: number) => string;
  /** "Suspended" */
  past: string;
  consequence: string;
  /** The admin must type the number of mailboxes. */
  isConfirmed?: true;
  preview: (mailbox: MailboxRow, choice: BulkActionInput) => Preview;
  /** @returns the temporary password, if the action creates one */
  run: (address: string, choice: BulkActionInput) => Promise<string | null>;
};

const include = (words: string): Preview => ({ isIncluded: true, words });
const exclude = (words: string): Preview => ({ isIncluded: false, words });
const notAllowed = ({ orgUnit: unit }: MailboxRow) =>
  exclude(`Skipped: you don’t have the privilege in ${unit.name}`);
const patch = async (address: string, change: Parameters<typeof patchMailbox>[1]) => {
  await patchMailbox(address, change);
  return null;
};

export const BULK_ACTIONS: Record<BulkActionName, BulkAction> = {
  suspend: {
    verb: "Suspend",
    past: "Suspended",
    consequence:
      "Mailbox users are signed out of all mail apps immediately and can’t sign in until you restore their mailboxes. Mail still arrives.",
    preview(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? include("Will be suspended") : exclude("Skipped: already suspended");
    },
    run: (address) => patch(address, { active: false }),
  },
  restore: {
    verb: "Restore",
    past: "Restored",
    consequence: "Mailbox users can sign in again with their current passwords.",
    preview(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? exclude("Skipped: not suspended") : include("Will be restored");
    },
    run: (address) => patch(address, { active: true }),
  },
  reset: {
    verb: "Reset",
    countNoun: (count) => pluralize(count, "password"),
    past: "Reset",
    consequence:
      "The current passwords and all app passwords stop working immediately, and mail apps are signed out. You get a temporary password for each mailbox, shown only once. Print the sheets or download the list before you close this dialog.",
    preview(mailbox) {
      if (!mailbox.may.reset_password) return notAllowed(mailbox);
      if (!mailbox.acceptsPassword) return exclude("Skipped: single sign-on is required");
      return include("Will get a temporary password");
    },
    run: resetMailboxPassword,
  },
  move: {
    verb: "Move",
    past: "Moved",
    consequence: "The new unit’s policies apply immediately. Storage limits don’t change.",
    preview(mailbox, { unit }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      if (unit === undefined) return include(`Currently in ${mailbox.orgUnit.name}`);
      if (unit.id === mailbox.orgUnit.id) return exclude(`Skipped: already in ${unit.name}`);
      return include(`From ${mailbox.orgUnit.name} to ${unit.name}`);
    },
    run: (address, { unit }) => patch(address, { orgUnitId: unit!.id }),
  },
  resize: {
    verb: "Change storage limit",
    countNoun: (count) => `of ${countMailboxes(count)}`,
    past: "Storage limit changed",
    consequence:
      "A mailbox that uses more than its new limit can’t receive mail until some is deleted.",
    preview(mailbox, { sizeMb }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      const now = formatBytes(mailbox.quotaMb * MB);
      if (!sizeMb) return include(`Currently ${now}`);
      if (sizeMb === mailbox.quotaMb) return exclude(`Skipped: already ${now}`);
      const words = `From ${now} to ${formatBytes(sizeMb * MB)}`;
      const isFull = mailbox.usedBytes > sizeMb * MB;
      return include(
        isFull ? `${words}: uses ${formatBytes(mailbox.usedBytes)}, will be full` : words,
      );
    },
    run: (address, { sizeMb }) => patch(address, { quotaMb: sizeMb! }),
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    consequence:
      "Mail to these mailboxes and their aliases will be rejected, and their users will be signed out. Owners can restore them on the Deleted page.",
    isConfirmed: true,
    preview: (mailbox) =>
      include(
        mailbox.messages === 0
          ? "No mail"
          : `${formatCount(mailbox.messages)} messages, ${formatBytes(mailbox.usedBytes)}`,
      ),
    run: removeMailbox,
  },
};

/** "Suspend 3 mailboxes" */
export const describeBulkAction = (
  { verb, countNoun: what = countMailboxes }: BulkAction,
  count: number,
): string => `${verb} ${what(count)}`;

export const countMailboxes = (count: number): string => pluralize(count, "mailbox", "mailboxes");
