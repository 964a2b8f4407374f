import type { Sentence } from "./audit-sentences.ts";
import {
  changesIn,
  counted,
  countIn,
  type Details,
  inWords,
  listIn,
  spelledOut,
  textIn,
} from "./details-in-words.ts";

const email = (details: Details) => textIn(details, "email");

function adminChanges(details: Details): string {
  const { changed } = details;
  const lists = (changed ?? {}) as Details;
  const parts = [
    ...changesIn(details).map(([field, { from, to }]) =>
      field === "isOwner"
        ? to === true
          ? `made ${email(details)} an owner`
          : `made ${email(details)} an ordinary admin`
        : `changed the ${spelledOut(field)} of ${email(details)} from ${inWords(from)} to ${inWords(to)}`,
    ),
    ...(lists.rolesAdded ? [`gave ${email(details)} ${listIn(lists, "rolesAdded")}`] : []),
    ...(lists.rolesRemoved ? [`took ${listIn(lists, "rolesRemoved")} from ${email(details)}`] : []),
  ];
  return parts.join(", ") || `changed ${email(details)}`;
}

const asWhat = (details: Details) =>
  details.isOwner === true
    ? " as an owner"
    : listIn(details, "roles")
      ? ` as ${listIn(details, "roles")}`
      : "";

const factor = (details: Details) => (email(details) ? ` of ${email(details)}` : "");

/** The team, and how its people sign in. */
export const SENTENCES_OF_PEOPLE: Record<string, Sentence> = {
  "admin.updated": adminChanges,
  "admin.disabled": (d) => `switched off the access of ${email(d)}`,
  "admin.enabled": (d) => `switched on the access of ${email(d)}`,
  "admin.removed": (d) =>
    `removed ${email(d)} from the company, with ${counted(countIn(d, "revokedKeys"), "API key")}`,
  "admin.password_changed": (d) => `changed the password${factor(d)}`,
  "admin.password_reset": (d) => `set a new password${factor(d)} by a link`,
  "admin.reset_link_made": (d) => `had a link made for a new password${factor(d)}`,
  "invitation.created": (d) => `invited ${email(d)}${asWhat(d)}`,
  "invitation.resent": (d) => `sent the invitation of ${email(d)} again`,
  "invitation.withdrawn": (d) => `withdrew the invitation of ${email(d)}`,
  "invitation.accepted": (d) => `joined${asWhat(d)}, invited by ${textIn(d, "invitedBy")}`,
  "role.created": (d) => `made the role ${textIn(d, "name")}`,
  "role.updated": (d) => `changed the role ${textIn(d, "name")}`,
  "role.deleted": (d) =>
    `deleted the role ${textIn(d, "name")}${listIn(d, "lostBy") ? `, which ${listIn(d, "lostBy")} held` : ""}`,
  "session.started": (d) => `signed in${textIn(d, "by") ? ` with ${textIn(d, "by")}` : ""}`,
  "session.ended": (d) => `ended ${counted(countIn(d, "sessions"), "session")} of ${email(d)}`,
  "sign_in.refused": (d) => `refused somebody who tried to sign in as ${email(d)}`,
  "second_factor.totp_added": (d) => `set up an authenticator app${factor(d)}`,
  "second_factor.totp_removed": (d) => `removed the authenticator app${factor(d)}`,
  "second_factor.passkey_added": (d) => `added the passkey ${textIn(d, "name")}${factor(d)}`,
  "second_factor.passkey_removed": (d) => `removed the passkey ${textIn(d, "name")}${factor(d)}`,
  "second_factor.recovery_codes_replaced": (d) => `made new recovery codes${factor(d)}`,
  "second_factor.all_removed": (d) => `removed every second factor${factor(d)}`,
};
