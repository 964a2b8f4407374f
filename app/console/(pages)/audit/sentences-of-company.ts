import type { Sentence } from "./audit-sentences.ts";
import { counted, countIn, type Details, inWords, listIn, textIn } from "./details-in-words.ts";

const name = (details: Details) => textIn(details, "name");
const endpoint = (details: Details) =>
  textIn(details, "endpoint") || textIn(details, "webhookId").slice(0, 8);

/** On or off: what a domain's update names. */
function domainChanges(details: Details): string {
  const words = { openTracking: "open tracking", clickTracking: "click tracking" };
  const parts = Object.entries(words)
    .filter(([field]) => typeof details[field] === "boolean")
    .map(([field, word]) => `switched ${word} ${details[field] === true ? "on" : "off"}`);
  return parts.length === 0
    ? `changed the domain ${name(details)}`
    : `${parts.join(" and ")} for ${name(details)}`;
}

function canceled(details: Details): string {
  const count = countIn(details, "canceledEmails");
  return count > 0 ? `, which canceled ${counted(count, "scheduled email")}` : "";
}

const ofQueue = (details: Details) =>
  textIn(details, "kind") === "company" ? `of ${name(details)}` : `to ${name(details)}`;

const emails = (details: Details) =>
  listIn(details, "emails") || counted(countIn(details, "count"), "address");

/** Sending, domains, keys, webhooks, and the company itself. */
export const SENTENCES_OF_COMPANY: Record<string, Sentence> = {
  "domain.added": (d) => `added the domain ${name(d)}`,
  "domain.verified": (d) => `proved the ownership of ${name(d)}`,
  "domain.updated": domainChanges,
  "domain.status_changed": (d) =>
    `found ${name(d)} ${inWords(d.after).replaceAll("_", " ")}, which was ${inWords(d.before).replaceAll("_", " ")}`,
  "domain.expired": (d) => `ended the claim to ${name(d)}: its ownership was not proven in time`,
  "domain.ownership_missing": (d) => `found the ownership record of ${name(d)} missing`,
  "domain.ownership_lost": (d) =>
    `ended ownership of ${name(d)} because another company proved that it owns the domain`,
  "domain.deleted": (d) => `deleted the domain ${name(d)}`,
  "api_key.created": (d) => `made the API key ${name(d)}`,
  "api_key.renamed": (d) => `renamed the API key ${textIn(d, "from")} to ${textIn(d, "to")}`,
  "api_key.allowed_addresses_changed": (d) =>
    `changed the addresses that may use the API key ${name(d)} to ${inWords(d.to)}`,
  "api_key.revoked": (d) => `revoked the API key ${name(d)}${canceled(d)}`,
  "webhook.created": (d) => `made the webhook to ${endpoint(d)}`,
  "webhook.updated": (d) =>
    textIn(d, "status")
      ? `changed the webhook ${endpoint(d)}: it is ${textIn(d, "status")}`
      : `changed the webhook ${endpoint(d)}`,
  "webhook.deleted": (d) => `deleted the webhook to ${endpoint(d)}`,
  "webhook.disabled": (d) =>
    `disabled the webhook ${endpoint(d)} after ${counted(countIn(d, "failures"), "failure")} in a row`,
  "webhook.tested": (d) => `sent a test event to the webhook ${endpoint(d)}`,
  "webhook.secret_rotated": (d) => `replaced the signing secret of the webhook ${endpoint(d)}`,
  "webhook.event_replayed": (d) => `replayed an event of the webhook ${endpoint(d)}`,
  "webhook.failed_events_replayed": (d) =>
    `replayed ${counted(countIn(d, "replayed"), "failed event")} of the webhook ${endpoint(d)}`,
  "suppression.added": (d) => `suppressed ${textIn(d, "email")}`,
  "suppression.removed": (d) => `took ${textIn(d, "email")} off the suppressions`,
  "suppressions.added": (d) => `suppressed ${emails(d)}`,
  "suppressions.removed": (d) => `took ${emails(d)} off the suppressions`,
  "suppressions.restored": (d) => `suppressed ${emails(d)} again`,
  "email.sent": (d) =>
    `sent an email from ${textIn(d, "from")} to ${counted(countIn(d, "recipients"), "recipient")}`,
  "email.canceled": () => "canceled a scheduled email",
  "email.rescheduled": (d) => `moved a scheduled email to ${textIn(d, "to")}`,
  "company.created": (d) => `made the company ${name(d)} with ${textIn(d, "owner")} as its owner`,
  "company.renamed": (d) => `renamed the company from ${inWords(d.from)} to ${inWords(d.to)}`,
  "company.allowed_addresses_changed": (d) =>
    `changed the addresses that may use the API from ${inWords(d.from)} to ${inWords(d.to)}`,
  "company.greylisting_enabled": () => "switched greylisting on",
  "company.greylisting_disabled": () => "switched greylisting off",
  "company.second_factor_required": () => "asks every admin for a second factor from now on",
  "company.second_factor_optional": () => "asks no admin for a second factor any more",
  "company.session_hours_changed": (d) =>
    `changed how long a session lasts from ${inWords(d.from)} to ${inWords(d.to)} hours`,
  "company.plan_changed": (d) => `changed what the plan ${textIn(d, "plan")} gives the company`,
  "company.suspended": () => "suspended the company",
  "company.restored": () => "ended the suspension of the company",
  "company.service_switched_on": () => "switched the email service on",
  "company.service_switched_off": () => "switched the email service off",
  "company.subscription_started": () => "started the subscription",
  "company.subscription_ended": () => "ended the subscription",
  "company.invoice_overdue": (d) => `noted that the invoice ${textIn(d, "number")} is overdue`,
  "company.invoice_paid": () => "noted that the overdue invoice is paid",
  "setting.changed": (d) =>
    `changed the setting ${textIn(d, "setting")} from ${inWords(d.from)} to ${inWords(d.to)}`,
  "setting.reset": (d) =>
    `put the setting ${textIn(d, "setting")} back from ${inWords(d.from)} to ${inWords(d.to)}`,
  "queue.held": (d) => `holds back the mail ${ofQueue(d)}`,
  "queue.released": (d) => `let the mail ${ofQueue(d)} go on`,
  "queue.retried": (d) => `had the mail ${ofQueue(d)} tried at once`,
  "queue.dropped": (d) =>
    `threw away the mail ${ofQueue(d)} to ${counted(countIn(d, "recipients"), "recipient")}`,
  "operator.granted": (d) => `made ${textIn(d, "email")} an operator of this Posthouse`,
  "operator.revoked": (d) => `made ${textIn(d, "email")} no operator any more`,
  "plan.created": (d) => `made the plan ${name(d)}`,
  "plan.changed": (d) => `changed the plan ${name(d)}`,
  "plan.deleted": (d) => `deleted the plan ${name(d)}`,
};
