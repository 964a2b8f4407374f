import { pluralize } from "#server/core/shared/text.ts";

import {
  changedFields,
  countDetail,
  type Description,
  type Details,
  formatValue,
  humanize,
  listDetail,
  textDetail,
} from "./details.ts";

const email = (details: Details) => textDetail(details, "email");

function adminChanges(details: Details): string {
  const who = email(details);
  const lists = (details.changed ?? {}) as Details;
  const parts = [
    ...changedFields(details).map(([field, { from, to }]) =>
      field === "isOwner"
        ? to === true
          ? `made ${who} an owner`
          : `removed ${who} as an owner`
        : `changed the ${humanize(field)} of ${who} from ${formatValue(from)} to ${formatValue(to)}`,
    ),
    ...(lists.rolesAdded ? [`assigned ${roles(lists, "rolesAdded")} to ${who}`] : []),
    ...(lists.rolesRemoved ? [`removed ${roles(lists, "rolesRemoved")} from ${who}`] : []),
  ];
  return parts.join(", ") || `changed the admin ${who}`;
}

/** "the role A", "the roles A, B" */
function roles(lists: Details, name: string): string {
  const value = lists[name];
  const noun = Array.isArray(value) && value.length > 1 ? "roles" : "role";
  return `the ${noun} ${listDetail(lists, name)}`;
}

function membership(details: Details): string {
  if (details.isOwner === true) return " as an owner";
  return listDetail(details, "roles") ? ` with ${roles(details, "roles")}` : "";
}

const ofAdmin = (details: Details) => (email(details) ? ` of ${email(details)}` : "");
const forAdmin = (details: Details) => (email(details) ? ` for ${email(details)}` : "");

/** The admin or the mailbox. */
const owner = (details: Details) => email(details) || textDetail(details, "mailbox");

const ofOwner = (details: Details) => (owner(details) ? ` of ${owner(details)}` : "");
const forOwner = (details: Details) => (owner(details) ? ` for ${owner(details)}` : "");

/** The team and its sign-ins. */
export const ADMIN_DESCRIPTIONS: Record<string, Description> = {
  "admin.notifications_changed": (d) =>
    d.host
      ? `set a URL at ${textDetail(d, "host")} for the notifications of ${email(d)}`
      : `changed the notifications of ${email(d)}`,
  "admin.updated": adminChanges,
  "admin.disabled": (d) => `turned off access for ${email(d)}`,
  "admin.enabled": (d) => `turned on access for ${email(d)}`,
  "admin.removed": (d) =>
    `removed ${email(d)} from the company and revoked ${pluralize(countDetail(d, "revokedKeys"), "API key")}`,
  "admin.password_changed": (d) => `changed the password${ofAdmin(d)}`,
  "admin.password_reset": (d) => `reset the password${ofAdmin(d)} with a reset link`,
  "admin.reset_link_made": (d) => `created a password reset link${forAdmin(d)}`,
  "invitation.created": (d) => `invited ${email(d)}${membership(d)}`,
  "invitation.updated": (d) => `edited the invitation to ${email(d)}${membership(d)}`,
  "invitation.resent": (d) => `resent the invitation to ${email(d)}`,
  "invitation.withdrawn": (d) => `withdrew the invitation to ${email(d)}`,
  "invitation.accepted": (d) =>
    `joined the company${membership(d)}, invited by ${textDetail(d, "invitedBy")}`,
  "role.created": (d) => `created the role ${textDetail(d, "name")}`,
  "role.updated": (d) => `changed the role ${textDetail(d, "name")}`,
  "role.deleted": (d) =>
    `deleted the role ${textDetail(d, "name")}${listDetail(d, "lostBy") ? `, assigned to ${listDetail(d, "lostBy")}` : ""}`,
  "session.started": (d) => `signed in${textDetail(d, "by") ? ` with ${textDetail(d, "by")}` : ""}`,
  "session.ended": (d) =>
    `ended ${pluralize(countDetail(d, "sessions"), "session")} of ${email(d)}`,
  "sign_in.refused": (d) => `blocked a sign-in attempt for ${email(d)}`,
  "second_factor.totp_added": (d) => `added an authenticator app${forOwner(d)}`,
  "second_factor.totp_removed": (d) => `removed the authenticator app${ofOwner(d)}`,
  "second_factor.passkey_added": (d) => `added the passkey ${textDetail(d, "name")}${forOwner(d)}`,
  "second_factor.passkey_removed": (d) =>
    `removed the passkey ${textDetail(d, "name")}${ofOwner(d)}`,
  "second_factor.recovery_codes_replaced": (d) => `generated new recovery codes${forOwner(d)}`,
  "second_factor.all_removed": (d) => `removed all second factors${ofOwner(d)}`,
};
