import type { Sentence } from "./audit-sentences.ts";
import {
  changesIn,
  counted,
  countIn,
  type Details,
  inWords,
  listIn,
  sizeInWords,
  textIn,
} from "./details-in-words.ts";

const mailbox = (details: Details) => textIn(details, "mailbox");
const group = (details: Details) => textIn(details, "group");

/** Fields of a mailbox as they are called. */
const FIELDS: Record<string, string> = {
  name: "name",
  quotaMb: "size",
  forcePasswordChange: "duty to change the password",
};

function mailboxChanges(details: Details): string {
  const changes = changesIn(details).map(([field, { from, to }]) => {
    const words = field === "quotaMb" ? sizeInWords : inWords;
    return `the ${FIELDS[field] ?? field} of ${mailbox(details)} from ${words(from)} to ${words(to)}`;
  });
  return changes.length === 0 ? `changed ${mailbox(details)}` : `changed ${changes.join(", ")}`;
}

const heldFrom = (details: Details) =>
  `from ${textIn(details, "from") || textIn(details, "sender") || "nobody"}`;

/** Mailboxes and what belongs to them, units, groups, and what is held. */
export const SENTENCES_OF_MAIL: Record<string, Sentence> = {
  "mailbox.created": (d) => `created the mailbox ${mailbox(d)}`,
  "mailbox.updated": mailboxChanges,
  "mailbox.suspended": (d) => `suspended the mailbox ${mailbox(d)}`,
  "mailbox.restored": (d) => `opened the mailbox ${mailbox(d)} again`,
  "mailbox.moved": (d) => `moved the mailbox ${mailbox(d)} to another unit`,
  "mailbox.deleted": (d) => `deleted the mailbox ${mailbox(d)} with its mail`,
  "mailbox.password_reset": (d) => `gave ${mailbox(d)} a new password`,
  "mailbox.password_changed": (d) => `changed the password of ${mailbox(d)}`,
  "mailbox.sessions_ended": (d) => `signed ${mailbox(d)} out`,
  "mailbox.contained": (d) => `contained the mailbox ${mailbox(d)}: it was taken over`,
  "mailbox.sending_held": (d) => `holds mail of ${mailbox(d)}: somebody else may be sending it`,
  "mailbox.sending_released": (d) =>
    `released the held mail of ${mailbox(d)} to ${counted(countIn(d, "recipients"), "recipient")}`,
  "mailbox_rules.updated": (d) =>
    `changed ${listIn(d, "changed") || "the rules"} among the rules of ${mailbox(d)}`,
  "mailbox_rules.forward_resumed": (d) =>
    `resumed forwarding from ${mailbox(d)} to ${textIn(d, "address")}`,
  "alias.added": (d) => `added the alias ${textIn(d, "alias")} to ${mailbox(d)}`,
  "alias.removed": (d) => `removed the alias ${textIn(d, "alias")} from ${mailbox(d)}`,
  "app_password.created": (d) => `made the app password ${textIn(d, "name")} for ${mailbox(d)}`,
  "app_password.deleted": (d) => `removed the app password ${textIn(d, "name")} of ${mailbox(d)}`,
  "unit.created": (d) => `made the unit ${textIn(d, "name")}`,
  "unit.renamed": (d) => `renamed the unit ${textIn(d, "from")} to ${textIn(d, "to")}`,
  "unit.moved": (d) => `moved the unit ${textIn(d, "name") || textIn(d, "unit")}`,
  "unit.deleted": (d) => `deleted the unit ${textIn(d, "name")}`,
  "unit.policies_changed": (d) => `changed the policies of the unit ${textIn(d, "name")}`,
  "group.created": (d) => `made the group ${group(d)}`,
  "group.renamed": (d) =>
    `renamed the group ${group(d)} from ${inWords(d.from)} to ${inWords(d.to)}`,
  "group.deleted": (d) => `deleted the group ${group(d)}`,
  "group.member_added": (d) => `added ${textIn(d, "member")} to the group ${group(d)}`,
  "group.member_removed": (d) => `removed ${textIn(d, "member")} from the group ${group(d)}`,
  "group.access_changed": (d) => `changed who may write to, or see, the group ${group(d)}`,
  "group.post_approved": (d) => `let a message to ${group(d) || "a group"} through`,
  "group.post_rejected": (d) => `rejected a message to ${group(d) || "a group"}`,
  "quarantine.released": (d) => `released a held message ${heldFrom(d)} to ${listIn(d, "to")}`,
  "quarantine.deleted": (d) =>
    `deleted a held message ${heldFrom(d)} to ${listIn(d, "recipients")}`,
};
