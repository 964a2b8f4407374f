import { type SettingName, SETTINGS } from "#server/core/platform/settings/settings.ts";
import { pluralize } from "#server/core/shared/text.ts";

import {
  countDetail,
  type Description,
  type Details,
  formatValue,
  humanize,
  listDetail,
  textDetail,
} from "./details.ts";

const name = (details: Details) => textDetail(details, "name");

const endpoint = (details: Details) =>
  textDetail(details, "endpoint") || textDetail(details, "webhookId").slice(0, 8);

function domainChanges(details: Details): string {
  const settings = {
    openTracking: "open tracking",
    clickTracking: "click tracking",
    oneClickUnsubscribe: "one-click unsubscribe",
  };
  const parts = Object.entries(settings)
    .filter(([field]) => typeof details[field] === "boolean")
    .map(([field, setting]) => `turned ${details[field] === true ? "on" : "off"} ${setting}`);
  if (typeof details.trackingSubdomain === "string")
    parts.push(`set the tracking subdomain ${details.trackingSubdomain}`);
  if (details.trackingSubdomain === null) parts.push("removed the tracking subdomain");
  return parts.length === 0
    ? `changed the domain ${name(details)}`
    : `${parts.join(" and ")} for ${name(details)}`;
}

function outgoingScan(to: string): string {
  if (to === "off") return "turned off outgoing mail scanning";
  return `set outgoing mail scanning to ${to === "hold" ? "put mailboxes that send spam on hold" : "reject spam"}`;
}

function canceled(details: Details): string {
  const count = countDetail(details, "canceledEmails");
  return count > 0 ? `, which canceled ${pluralize(count, "scheduled email")}` : "";
}

const queuedMail = (details: Details) =>
  textDetail(details, "kind") === "company"
    ? `mail from the company ${name(details)}`
    : `mail to ${name(details)}`;

const addresses = (details: Details) =>
  listDetail(details, "emails") || pluralize(countDetail(details, "count"), "address", "addresses");

/** The label in the console; the name for a setting that no longer exists. */
function settingLabel(name: string): string {
  const known = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : null;
  return `“${known?.label ?? name}”`;
}

/** Sending, domains, keys, webhooks, the company itself, and the operator's changes. */
export const COMPANY_DESCRIPTIONS: Record<string, Description> = {
  "domain.added": (d) => `created the domain ${name(d)}`,
  "domain.verified": (d) => `verified ownership of ${name(d)}`,
  "domain.updated": domainChanges,
  "domain.status_changed": (d) =>
    `changed the status of ${name(d)} from ${humanize(formatValue(d.before))} to ${humanize(formatValue(d.after))}`,
  "domain.records_emailed": (d) =>
    `emailed the DNS records of ${name(d)} to ${textDetail(d, "to")}`,
  "domain.records_published": (d) =>
    `published ${pluralize(countDetail(d, "count"), "DNS record")} of ${name(d)} at its DNS provider`,
  "domain.dkim_rotated": (d) => `started rotating the DKIM keys of ${name(d)}`,
  "domain.dkim_key_activated": (d) =>
    `switched ${name(d)} to the new DKIM key ${textDetail(d, "selector")}`,
  "domain.expired": (d) =>
    `ended the domain claim on ${name(d)} because ownership wasn’t verified in time`,
  "domain.ownership_missing": (d) => `found that the ownership record of ${name(d)} is missing`,
  "domain.ownership_lost": (d) =>
    `ended ownership of ${name(d)} because another company verified that it owns the domain`,
  "domain.deleted": (d) => `deleted the domain ${name(d)}`,
  "domain.undeleted": (d) => `restored the deleted domain ${name(d)}`,
  "domain.deleted_permanently": (d) => `permanently deleted the domain ${name(d)}`,
  "api_key.created": (d) => `created the API key ${name(d)}`,
  "api_key.renamed": (d) =>
    `renamed the API key ${textDetail(d, "from")} to ${textDetail(d, "to")}`,
  "api_key.allowed_addresses_changed": (d) =>
    `changed the allowed IP addresses of the API key ${name(d)} to ${formatValue(d.to)}`,
  "api_key.access_changed": (d) => `changed what the API key ${name(d)} can do`,
  "api_key.revoked": (d) => `revoked the API key ${name(d)}${canceled(d)}`,
  "api_key.restored": (d) => `restored the API key ${name(d)} with its domain`,
  "webhook.created": (d) => `created the webhook ${endpoint(d)}`,
  "webhook.updated": (d) =>
    textDetail(d, "status")
      ? `changed the status of the webhook ${endpoint(d)} to ${textDetail(d, "status")}`
      : `changed the webhook ${endpoint(d)}`,
  "webhook.deleted": (d) => `deleted the webhook ${endpoint(d)}`,
  "webhook.disabled": (d) =>
    `disabled the webhook ${endpoint(d)} after ${pluralize(countDetail(d, "failures"), "consecutive failure")}`,
  "webhook.tested": (d) => `sent a test event to the webhook ${endpoint(d)}`,
  "webhook.secret_rotated": (d) => `rotated the signing secret of the webhook ${endpoint(d)}`,
  "webhook.event_replayed": (d) => `replayed an event to the webhook ${endpoint(d)}`,
  "webhook.failed_events_replayed": (d) =>
    `replayed ${pluralize(countDetail(d, "replayed"), "failed event")} to the webhook ${endpoint(d)}`,
  "suppression.added": (d) => `added ${textDetail(d, "email")} to the suppression list`,
  "suppression.removed": (d) => `removed ${textDetail(d, "email")} from the suppression list`,
  "suppressions.added": (d) => `added ${addresses(d)} to the suppression list`,
  "suppressions.removed": (d) => `removed ${addresses(d)} from the suppression list`,
  "suppressions.restored": (d) => `added ${addresses(d)} back to the suppression list`,
  "template.created": (d) => `created the template ${name(d)}`,
  "template.updated": (d) => `changed the template ${name(d)}`,
  "template.published": (d) =>
    `published version ${countDetail(d, "version")} of the template ${name(d)}`,
  "template.duplicated": (d) => `created the template ${name(d)} from another template`,
  "template.deleted": (d) => `deleted the template ${name(d)}`,
  "email.sent": (d) =>
    `sent an email from ${textDetail(d, "from")} to ${pluralize(countDetail(d, "recipients"), "recipient")}`,
  "email.canceled": () => "canceled a scheduled email",
  "email.rescheduled": (d) => `rescheduled an email to ${textDetail(d, "to")}`,
  "company.created": (d) =>
    `created the company ${name(d)} with ${textDetail(d, "owner")} as an owner`,
  "company.exported": (d) =>
    `exported the company’s data${d.mail === "none" ? " without mail" : ""}${d.dkimPrivateKeys === true ? ", with private DKIM keys" : ""}`,
  "company.renamed": (d) =>
    `renamed the company from ${formatValue(d.from)} to ${formatValue(d.to)}`,
  "company.allowed_addresses_changed": (d) =>
    `changed the IP addresses allowed to use the API from ${formatValue(d.from)} to ${formatValue(d.to)}`,
  "company.language_changed": (d) =>
    `changed the language of mailbox users from ${textDetail(d, "from")} to ${textDetail(d, "to")}`,
  "company.greylisting_enabled": () => "turned on greylisting",
  "company.greylisting_disabled": () => "turned off greylisting",
  "company.request_bodies_enabled": () => "turned on logging of API request bodies",
  "company.request_bodies_disabled": () => "turned off logging of API request bodies",
  "company.outgoing_scan_changed": (d) => outgoingScan(textDetail(d, "to")),
  "single_sign_on.connected": (d) => `connected the identity provider ${textDetail(d, "issuer")}`,
  "single_sign_on.secret_changed": (d) =>
    `changed the client secret of the identity provider ${textDetail(d, "issuer")}`,
  "single_sign_on.required": () => "made single sign-on required for admins",
  "single_sign_on.made_optional": () => "made single sign-on optional for admins",
  "single_sign_on.second_factor_changed": (d) =>
    d.isSecondFactor === true
      ? "set Posthouse to skip the second factor after single sign-on"
      : "set Posthouse to ask for the second factor after single sign-on",
  "single_sign_on.linked": (d) =>
    `linked ${textDetail(d, "email")} to an account at the identity provider`,
  "single_sign_on.unlinked": (d) => `unlinked ${textDetail(d, "email")} from the identity provider`,
  "single_sign_on.mailboxes_changed": (d) =>
    d.allows === true
      ? "let mailbox users sign in with the identity provider"
      : "stopped letting mailbox users sign in with the identity provider",
  "single_sign_on.mailboxes_required_changed": (d) =>
    d.isRequired === true
      ? "made single sign-on required for mailbox users"
      : "made single sign-on optional for mailbox users",
  "single_sign_on.mailbox_linked": (d) =>
    `linked the mailbox ${textDetail(d, "mailbox")} to an account at the identity provider`,
  "single_sign_on.mailbox_unlinked": (d) =>
    `unlinked the mailbox ${textDetail(d, "mailbox")} from the identity provider`,
  "single_sign_on.removed": (d) => `removed the identity provider ${textDetail(d, "issuer")}`,
  "company.second_factor_required": () => "made a second factor required for all admins",
  "company.second_factor_optional": () => "made a second factor optional for all admins",
  "company.session_hours_changed": (d) =>
    `changed the session length from ${formatValue(d.from)} to ${formatValue(d.to)} hours`,
  "company.plan_changed": (d) =>
    `updated the company’s limits to those of the plan ${textDetail(d, "plan")}`,
  "company.limits_changed": () => "changed the company’s limits",
  "company.suspended": () => "suspended the company",
  "company.restored": () => "restored the company",
  "company.service_switched_on": () => "turned on the email service",
  "company.service_switched_off": () => "turned off the email service",
  "company.subscription_started": () => "started the subscription",
  "company.subscription_ended": () => "ended the subscription",
  "company.invoice_overdue": (d) => `marked the invoice ${textDetail(d, "number")} as overdue`,
  "company.invoice_paid": () => "marked the overdue invoice as paid",
  "person.erased": (d) => `erased a person’s data, now shown as ${textDetail(d, "pseudonym")}`,
  "setting.changed": (d) =>
    `changed ${settingLabel(textDetail(d, "setting"))} from ${formatValue(d.from)} to ${formatValue(d.to)}`,
  "queue.held": (d) => `put ${queuedMail(d)} on hold`,
  "queue.released": (d) => `released ${queuedMail(d)}`,
  "queue.retried": (d) => `retried ${queuedMail(d)}`,
  "queue.dropped": (d) =>
    `dropped ${queuedMail(d)} for ${pluralize(countDetail(d, "recipients"), "recipient")}`,
  "operator.granted": (d) => `made ${textDetail(d, "email")} an operator`,
  "operator.revoked": (d) => `removed ${textDetail(d, "email")} as an operator`,
  "plan.created": (d) => `created the plan ${name(d)}`,
  "plan.changed": (d) => `changed the plan ${name(d)}`,
  "plan.deleted": (d) => `deleted the plan ${name(d)}`,
};
