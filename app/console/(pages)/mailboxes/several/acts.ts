import { sizeInWords } from "#app/console/(pages)/mailboxes/mailbox-words.ts";
import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";

import { deleteOne, resetOne, updateOne } from "./requests.ts";

const MB = 1024 * 1024;

export type ActName = "suspend" | "restore" | "reset" | "move" | "resize" | "delete";

/** What an act takes beside the mailboxes. */
export type Choice = { unit?: { id: number; name: string }; sizeMb?: number };

/** What will become of one mailbox: done to it, or why it is left out. */
type Forecast = { isActed: boolean; words: string };

/** Something that is done to several mailboxes. */
export type Act = {
  /** "Suspend" */
  verb: string;
  /** What it is done to, where that is not the mailbox itself: "11 passwords". */
  what?: (count: number) => string;
  /** "Suspended" */
  past: string;
  /** What it means for the people and their mail. */
  consequence: string;
  /** Cannot be taken back: the number has to be typed. */
  isFinal?: true;
  foresee: (mailbox: MailboxRow, choice: Choice) => Forecast;
  /** @returns a password to be handed over, where it makes one */
  work: (address: string, choice: Choice) => Promise<string | null>;
};

const will = (words: string): Forecast => ({ isActed: true, words });
const not = (words: string): Forecast => ({ isActed: false, words });
const notAllowed = ({ org_unit: unit }: MailboxRow) =>
  not(`Left out: you may not do this in ${unit.name}`);
const changed = async (address: string, change: Parameters<typeof updateOne>[1]) => {
  await updateOne(address, change);
  return null;
};

export const acts: Record<ActName, Act> = {
  suspend: {
    verb: "Suspend",
    past: "Suspended",
    consequence:
      "Their people are signed out of all mail apps at once and cannot sign in until you restore them. Mail still arrives.",
    foresee(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? will("Will be suspended") : not("Left out: suspended already");
    },
    work: (address) => changed(address, { active: false }),
  },
  restore: {
    verb: "Restore",
    past: "Restored",
    consequence: "Their people can sign in again with the passwords they have.",
    foresee(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? not("Left out: not suspended") : will("Will be restored");
    },
    work: (address) => changed(address, { active: true }),
  },
  reset: {
    verb: "Reset",
    what: (count) => (count === 1 ? "1 password" : `${count.toLocaleString("en")} passwords`),
    past: "Reset",
    consequence:
      "Their passwords stop working at once, and mail apps are signed out. You get a temporary password for each, once: have the sheets printed or the list downloaded before you close it.",
    foresee(mailbox) {
      if (!mailbox.may.reset_password) return notAllowed(mailbox);
      return will("Will get a temporary password");
    },
    work: resetOne,
  },
  move: {
    verb: "Move",
    past: "Moved",
    consequence: "The policies of the new unit hold for them at once. Their sizes stay.",
    foresee(mailbox, { unit }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      if (unit === undefined) return will(`Now in ${mailbox.org_unit.name}`);
      if (unit.id === mailbox.org_unit.id) return not(`Left out: in ${unit.name} already`);
      return will(`From ${mailbox.org_unit.name} to ${unit.name}`);
    },
    work: (address, { unit }) => changed(address, { org_unit_id: unit!.id }),
  },
  resize: {
    verb: "Resize",
    past: "Resized",
    consequence: "A mailbox that holds more than its new size takes nothing until mail is deleted.",
    foresee(mailbox, { sizeMb }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      const now = sizeInWords(mailbox.quota_mb * MB);
      if (!sizeMb) return will(`Now ${now}`);
      if (sizeMb === mailbox.quota_mb) return not(`Left out: ${now} already`);
      const words = `From ${now} to ${sizeInWords(sizeMb * MB)}`;
      const isFull = mailbox.used_bytes > sizeMb * MB;
      return will(
        isFull ? `${words}: holds ${sizeInWords(mailbox.used_bytes)}, will be full` : words,
      );
    },
    work: (address, { sizeMb }) => changed(address, { quota_mb: sizeMb! }),
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    consequence: "Mail to them and their aliases will be refused. This cannot be undone.",
    isFinal: true,
    foresee: (mailbox) =>
      will(
        mailbox.messages === 0
          ? "Holds no mail"
          : `${mailbox.messages.toLocaleString("en")} messages, ${sizeInWords(mailbox.used_bytes)}`,
      ),
    work: deleteOne,
  },
};

/** "Suspend 3 mailboxes" */
export const actInWords = ({ verb, what = mailboxesInWords }: Act, count: number): string =>
  `${verb} ${what(count)}`;

/** "3 mailboxes" */
export const mailboxesInWords = (count: number): string =>
  count === 1 ? "1 mailbox" : `${count.toLocaleString("en")} mailboxes`;
