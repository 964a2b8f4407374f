import { formatBytes } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";

import { removeMailbox, resetMailboxPassword, patchMailbox } from "./requests.ts";

const MB = 1024 * 1024;

export type BulkActionName = "suspend" | "restore" | "reset" | "move" | "resize" | "delete";

/** What an act takes beside the mailboxes. */
export type BulkActionInput = { unit?: { id: number; name: string }; sizeMb?: number };

/** What will become of one mailbox: done to it, or why it is left out. */
type Preview = { isIncluded: boolean; words: string };

/** Something that is done to several mailboxes. */
export type BulkAction = {
  /** "Suspend" */
  verb: string;
  /** What it is done to, where that is not the mailbox itself: "11 passwords". */
  countNoun?: (count: number) => string;
  /** "Suspended" */
  past: string;
  /** What it means for the people and their mail. */
  consequence: string;
  /** Cannot be taken back: the number has to be typed. */
  isIrreversible?: true;
  preview: (mailbox: MailboxRow, choice: BulkActionInput) => Preview;
  /** @returns a password to be handed over, where it makes one */
  run: (address: string, choice: BulkActionInput) => Promise<string | null>;
};

const include = (words: string): Preview => ({ isIncluded: true, words });
const exclude = (words: string): Preview => ({ isIncluded: false, words });
const notAllowed = ({ org_unit: unit }: MailboxRow) =>
  exclude(`Left out: you may not do this in ${unit.name}`);
const patch = async (address: string, change: Parameters<typeof patchMailbox>[1]) => {
  await patchMailbox(address, change);
  return null;
};

export const BULK_ACTIONS: Record<BulkActionName, BulkAction> = {
  suspend: {
    verb: "Suspend",
    past: "Suspended",
    consequence:
      "Their people are signed out of all mail apps at once and cannot sign in until you restore them. Mail still arrives.",
    preview(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? include("Will be suspended") : exclude("Left out: suspended already");
    },
    run: (address) => patch(address, { active: false }),
  },
  restore: {
    verb: "Restore",
    past: "Restored",
    consequence: "Their people can sign in again with the passwords they have.",
    preview(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? exclude("Left out: not suspended") : include("Will be restored");
    },
    run: (address) => patch(address, { active: true }),
  },
  reset: {
    verb: "Reset",
    countNoun: (count) => (count === 1 ? "1 password" : `${count.toLocaleString("en")} passwords`),
    past: "Reset",
    consequence:
      "Their passwords stop working at once, and mail apps are signed out. You get a temporary password for each, once: have the sheets printed or the list downloaded before you close it.",
    preview(mailbox) {
      if (!mailbox.may.reset_password) return notAllowed(mailbox);
      return include("Will get a temporary password");
    },
    run: resetMailboxPassword,
  },
  move: {
    verb: "Move",
    past: "Moved",
    consequence: "The policies of the new unit hold for them at once. Their sizes stay.",
    preview(mailbox, { unit }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      if (unit === undefined) return include(`Now in ${mailbox.org_unit.name}`);
      if (unit.id === mailbox.org_unit.id) return exclude(`Left out: in ${unit.name} already`);
      return include(`From ${mailbox.org_unit.name} to ${unit.name}`);
    },
    run: (address, { unit }) => patch(address, { org_unit_id: unit!.id }),
  },
  resize: {
    verb: "Resize",
    past: "Resized",
    consequence: "A mailbox that holds more than its new size takes nothing until mail is deleted.",
    preview(mailbox, { sizeMb }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      const now = formatBytes(mailbox.quota_mb * MB);
      if (!sizeMb) return include(`Now ${now}`);
      if (sizeMb === mailbox.quota_mb) return exclude(`Left out: ${now} already`);
      const words = `From ${now} to ${formatBytes(sizeMb * MB)}`;
      const isFull = mailbox.used_bytes > sizeMb * MB;
      return include(
        isFull ? `${words}: holds ${formatBytes(mailbox.used_bytes)}, will be full` : words,
      );
    },
    run: (address, { sizeMb }) => patch(address, { quota_mb: sizeMb! }),
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    consequence: "Mail to them and their aliases will be refused. This cannot be undone.",
    isIrreversible: true,
    preview: (mailbox) =>
      include(
        mailbox.messages === 0
          ? "Holds no mail"
          : `${mailbox.messages.toLocaleString("en")} messages, ${formatBytes(mailbox.used_bytes)}`,
      ),
    run: removeMailbox,
  },
};

/** "Suspend 3 mailboxes" */
export const describeBulkAction = (
  { verb, countNoun: what = countMailboxes }: BulkAction,
  count: number,
): string => `${verb} ${what(count)}`;

/** "3 mailboxes" */
export const countMailboxes = (count: number): string =>
  count === 1 ? "1 mailbox" : `${count.toLocaleString("en")} mailboxes`;
