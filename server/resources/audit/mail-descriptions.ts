import { pluralize } from "#server/core/shared/text.ts";

import {
  changedFields,
  countDetail,
  type Description,
  type Details,
  formatSize,
  formatValue,
  listDetail,
  textDetail,
} from "./details.ts";

const mailbox = (details: Details) => textDetail(details, "mailbox");

const shareAccess = ({ access, send_as: sendAs }: Details) =>
  `to read${access === "write" ? " and write" : ""}${sendAs === true ? " and to send as it" : ""}`;

const group = (details: Details) => textDetail(details, "group");

function mailboxChanges(details: Details): string {
  const of = mailbox(details);
  const changes = changedFields(details).map(([field, { from, to }]) => {
    if (field === "forcePasswordChange")
      return to === true
        ? `required ${of} to change the password at the next sign-in`
        : `stopped requiring ${of} to change the password at the next sign-in`;
    if (field === "quotaMb")
      return `changed the storage limit of ${of} from ${formatSize(from)} to ${formatSize(to)}`;
    return `changed the ${field} of ${of} from ${formatValue(from)} to ${formatValue(to)}`;
  });
  return changes.join(", ") || `changed the mailbox ${of}`;
}

const sender = (details: Details) =>
  textDetail(details, "from") || textDetail(details, "sender") || "an empty sender";

const betweenHosts = (details: Details) =>
  `from the mail host ${textDetail(details, "from")} to ${textDetail(details, "to")}`;

const importOf = (details: Details) =>
  `from ${textDetail(details, "account")} at ${textDetail(details, "host")} into ${mailbox(details)}`;

const APP_PASSWORD_USES: Record<string, string> = {
  mail: ", for mail only",
  calendar: ", for calendars and contacts only",
};

/** Mailboxes, units, groups and the quarantine. */
export const MAIL_DESCRIPTIONS: Record<string, Description> = {
  "mailbox.created": (d) => `created the mailbox ${mailbox(d)}`,
  "mailbox.updated": mailboxChanges,
  "mailbox.suspended": (d) => `suspended the mailbox ${mailbox(d)}`,
  "mailbox.restored": (d) => `restored the mailbox ${mailbox(d)}`,
  "mailbox.renamed": (d) =>
    `changed the address of the mailbox ${textDetail(d, "from")} to ${textDetail(d, "to")}`,
  "mailbox.moved": (d) => `moved the mailbox ${mailbox(d)} to another unit`,
  "mailbox.move_started": (d) => `started moving the mailbox ${mailbox(d)} ${betweenHosts(d)}`,
  "mailbox.move_canceled": (d) =>
    `canceled the move of the mailbox ${mailbox(d)} ${betweenHosts(d)}`,
  "mailbox.move_failed": (d) =>
    `couldn’t move the mailbox ${mailbox(d)} ${betweenHosts(d)} and is retrying`,
  "mailbox.move_finished": (d) => `moved the mailbox ${mailbox(d)} ${betweenHosts(d)}`,
  "mailbox.deleted": (d) => `deleted the mailbox ${mailbox(d)} and its mail`,
  "mailbox.undeleted": (d) => `restored the deleted mailbox ${mailbox(d)} and its mail`,
  "mailbox.deleted_permanently": (d) => `permanently deleted the mailbox ${textDetail(d, "name")}`,
  "mailbox.password_reset": (d) => `reset the password of ${mailbox(d)}`,
  "mailbox.password_changed": (d) => `changed the password of ${mailbox(d)}`,
  "mailbox.password_ended": (d) =>
    `made the password of ${mailbox(d)}, which was due to be changed, unusable because its user got more privileges`,
  "mailbox.link_sent": (d) =>
    `sent sign-in instructions for ${mailbox(d)} to ${textDetail(d, "to")}`,
  "mailbox.link_created": (d) => `created a link to set the password of ${mailbox(d)}`,
  "mailbox.sessions_ended": (d) => `signed ${mailbox(d)} out everywhere`,
  "mailbox.contained": (d) => `secured the mailbox ${mailbox(d)} and deleted its mail on hold`,
  "mailbox.sending_held": (d) =>
    `put outgoing mail from ${mailbox(d)} on hold because the mailbox may be compromised`,
  "mailbox.sending_released": (d) =>
    `released mail on hold from ${mailbox(d)} for ${pluralize(countDetail(d, "recipients"), "recipient")}`,
  "mailbox_rules.updated": (d) => `changed ${rules(d)} of ${mailbox(d)}`,
  "mailbox_rules.forward_resumed": (d) =>
    `resumed forwarding from ${mailbox(d)} to ${textDetail(d, "address")}`,
  "mailbox_rules.forward_requested": (d) =>
    `asked ${textDetail(d, "address")} to confirm forwarding from ${mailbox(d)}`,
  "mailbox_rules.forward_confirmed": (d) =>
    `turned on forwarding from ${mailbox(d)} because ${textDetail(d, "address")} confirmed it`,
  "mailbox_rules.forward_declined": (d) =>
    `turned off forwarding from ${mailbox(d)} because ${textDetail(d, "address")} declined it`,
  "mailbox_import.started": (d) =>
    `started importing ${pluralize(countDetail(d, "lines"), "line")} of a list of mailboxes`,
  "mailbox_import.finished": (d) =>
    `imported ${pluralize(countDetail(d, "created"), "mailbox", "mailboxes")}`,
  "mailbox_import.stopped": (d) =>
    `stopped an import after ${pluralize(countDetail(d, "created"), "mailbox", "mailboxes")}`,
  "mail_import.started": (d) => `started importing mail ${importOf(d)}`,
  "mail_import.canceled": (d) => `canceled importing mail ${importOf(d)}`,
  "mail_import.finished": (d) =>
    `imported ${pluralize(countDetail(d, "messages"), "message")} ${importOf(d)}`,
  "mail_import.failed": (d) => `couldn’t import mail ${importOf(d)}`,
  "mail_import.password_erased": (d) => `erased the password for importing mail ${importOf(d)}`,
  "mailbox.shared": (d) =>
    `shared the mailbox ${mailbox(d)} with ${textDetail(d, "with")}, ${shareAccess(d)}`,
  "mailbox.unshared": (d) =>
    `stopped sharing the mailbox ${mailbox(d)} with ${textDetail(d, "with")}`,
  "alias.added": (d) => `added the alias ${textDetail(d, "alias")} to ${mailbox(d)}`,
  "alias.removed": (d) => `removed the alias ${textDetail(d, "alias")} from ${mailbox(d)}`,
  "alias.undeleted": (d) => `restored the alias ${textDetail(d, "alias")} of ${mailbox(d)}`,
  "alias.deleted_permanently": (d) => `permanently deleted the alias ${textDetail(d, "name")}`,
  "inbound_address.created": (d) => `created the inbound address ${textDetail(d, "address")}`,
  "inbound_address.deleted": (d) => `deleted the inbound address ${textDetail(d, "address")}`,
  "inbound_address.undeleted": (d) => `restored the inbound address ${textDetail(d, "address")}`,
  "inbound.deleted_permanently": (d) =>
    `permanently deleted the inbound address ${textDetail(d, "name")}`,
  "app_password.created": (d) =>
    `created the app password ${textDetail(d, "name")} for ${mailbox(d)}${APP_PASSWORD_USES[textDetail(d, "scope")] ?? ""}`,
  "app_password.deleted": (d) =>
    `revoked the app password ${textDetail(d, "name")} of ${mailbox(d)}`,
  "unit.created": (d) => `created the unit ${textDetail(d, "name")}`,
  "unit.renamed": (d) => `renamed the unit ${textDetail(d, "from")} to ${textDetail(d, "to")}`,
  "unit.moved": (d) => `moved the unit ${textDetail(d, "name") || textDetail(d, "unit")}`,
  "unit.deleted": (d) => `deleted the unit ${textDetail(d, "name")}`,
  "unit.policies_changed": (d) => `changed the policies of the unit ${textDetail(d, "name")}`,
  "group.created": (d) => `created the group ${group(d)}`,
  "group.renamed": (d) =>
    `renamed the group ${group(d)} from ${formatValue(d.from)} to ${formatValue(d.to)}`,
  "group.deleted": (d) => `deleted the group ${group(d)}`,
  "group.undeleted": (d) => `restored the deleted group ${group(d)}`,
  "group.deleted_permanently": (d) => `permanently deleted the group ${textDetail(d, "name")}`,
  "group.member_added": (d) => `added ${textDetail(d, "member")} to the group ${group(d)}`,
  "group.member_removed": (d) => `removed ${textDetail(d, "member")} from the group ${group(d)}`,
  "group.unit_added": (d) => `added the unit ${textDetail(d, "name")} to the group ${group(d)}`,
  "group.unit_removed": (d) =>
    `removed the unit ${textDetail(d, "name")} from the group ${group(d)}`,
  "group.access_changed": (d) => `changed the access settings of the group ${group(d)}`,
  "group.post_approved": (d) => `approved a message to ${group(d) || "a group"}`,
  "group.post_expired": (d) =>
    `deleted a message to ${group(d) || "a group"} because no moderator decided on it in time`,
  "group.post_rejected": (d) => `rejected a message to ${group(d) || "a group"}`,
  "quarantine.released": (d) =>
    `released a quarantined message from ${sender(d)} to ${listDetail(d, "to")}`,
  "quarantine.deleted": (d) =>
    `deleted a quarantined message from ${sender(d)} to ${listDetail(d, "recipients")}`,
};

const RULES: Record<string, string> = {
  forwardTo: "forwarding",
  keepCopy: "forwarding",
  vacation: "automatic replies",
};

/** "the mail rules (forwarding, automatic replies, filters)" */
function rules({ changed }: Details): string {
  const fields = Array.isArray(changed) ? changed.map(String) : [];
  const names = [...new Set(fields.map((field) => RULES[field] ?? field))];
  return names.length > 0 ? `the mail rules (${names.join(", ")})` : "the mail rules";
}
