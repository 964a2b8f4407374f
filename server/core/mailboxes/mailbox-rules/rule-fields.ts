import type { MailFilter, Vacation } from "#drizzle/schema/index.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { isOneLine } from "#server/core/shared/text.ts";
import { readEach, readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { encodeFolder, FOLDER_OCTETS_MAX, RESERVED_FOLDER } from "#server/gateways/dovecot-imap.ts";

import { startOfDay } from "./compile-rules.ts";

const FILTERS_MAX = 50;
const CONDITIONS_MAX = 10;
const NAME_MAX = 100;
const VALUE_MAX = 200;
const FOLDER_MAX = 200;
const DEPTH_MAX = 8;

/** @throws Refusal `invalid` */
export function checkFilters(filters: MailFilter[]): MailFilter[] {
  if (filters.length > FILTERS_MAX)
    throw invalidRule(`A mailbox can have at most ${FILTERS_MAX} filters`, "filters");
  return readEach(filters, checkFilter);
}

function checkFilter(filter: MailFilter, at: number): MailFilter {
  const { conditions, action } = filter;
  const path = `filters[${at}]`;
  if (conditions.length === 0)
    throw invalidRule("A filter needs at least one condition", `${path}.conditions`);
  if (conditions.length > CONDITIONS_MAX)
    throw invalidRule(
      `A filter can have at most ${CONDITIONS_MAX} conditions`,
      `${path}.conditions`,
    );
  const read = readFields({
    name: () => readLine(filter.name, { path: `${path}.name`, label: "Name" }, NAME_MAX),
    conditions: () =>
      readEach(conditions, (condition, at) => {
        const field = { path: `${path}.conditions[${at}].value`, label: "Value" };
        return { ...condition, value: readLine(condition.value, field, VALUE_MAX) };
      }),
    action: () =>
      action.kind === "file"
        ? { ...action, folder: checkFolder(action.folder, `${path}.action.folder`) }
        : action,
  });
  return { ...filter, ...read };
}

/** Validates a folder with `/` as separator, rejecting names that Dovecot would reject. */
function checkFolder(typed: string, path: string): string {
  const folder = readLine(typed, { path, label: "Folder" }, FOLDER_MAX);
  const parts = folder.split("/").map((part) => part.trim());
  if (parts.some((part) => /^\.*$|^~|[%*]/.test(part) || part === RESERVED_FOLDER))
    throw invalidRule(`${folder} isn't a valid folder name`, path);
  if (parts.some((part) => encodeFolder(part).length > FOLDER_OCTETS_MAX))
    throw invalidRule(
      `A folder name can have up to ${FOLDER_OCTETS_MAX} characters, or about 90 in non-Latin scripts`,
      path,
    );
  if (parts.length > DEPTH_MAX)
    throw invalidRule(`Folders can be nested at most ${DEPTH_MAX} levels deep`, path);
  return parts.join("/");
}

export const FORWARDS_MAX = 5;

/**
 * Validates forwarding addresses and removes duplicates.
 *
 * @param own the mailbox's addresses, to which forwarding would loop
 * @throws Refusal `invalid`
 */
export function checkForwarding(typed: string[], own: string[]): string[] {
  const read = readEach(typed, (text, at) => {
    const field = `forward_to[${at}]`;
    const parsed = parseAddress(text);
    if (!parsed) throw invalidRule(`${text.slice(0, 100)} isn't an email address`, field);
    const { address, written = address } = parsed;
    if (isOwnAddress(address, own))
      throw invalidRule("A mailbox can't forward mail to itself", field);
    return [address, written] as const;
  });
  const forwardTo = [...new Map(read).values()];
  if (forwardTo.length > FORWARDS_MAX)
    throw invalidRule(`Mail can be forwarded to at most ${FORWARDS_MAX} addresses`, "forward_to");
  return forwardTo;
}

/** `ann+tag@` is delivered to `ann@` (RFC 5233). */
export const isOwnAddress = (address: string, own: string[]): boolean =>
  own.includes(address) || own.includes(address.replace(/^([^+@]+)\+[^@]*@/, "$1@"));

const SUBJECT_MAX = 200;

const TEXT_MAX = 10_000;

/** @throws Refusal `invalid` */
export function checkVacation(vacation: Vacation): Vacation {
  const { isOn, startsOn, endsOn, timeZone } = vacation;
  readFields({
    startsOn: () => startsOn !== null && requireDay(startsOn, "starts_on"),
    endsOn: () => endsOn !== null && requireDay(endsOn, "ends_on"),
  });
  if (startsOn !== null && endsOn !== null && endsOn < startsOn)
    throw invalidRule("The last day must not be before the first day", "ends_on");
  requireTimeZone(timeZone);
  // A disabled reply can be an incomplete draft.
  const unlessDraft = (given: string, read: () => string) =>
    !isOn && given.trim() === "" ? "" : read();
  const { subject, text } = vacation;
  const subjectField = { path: "subject", label: "Subject" };
  const textField = { path: "text", label: "Message" };
  return {
    ...vacation,
    ...readFields({
      subject: () => unlessDraft(subject, () => readLine(subject, subjectField, SUBJECT_MAX)),
      text: () => unlessDraft(text, () => readLines(text, textField, TEXT_MAX)),
    }),
  };
}

/** Rejects days that don't exist, such as 2026-02-30. */
function requireDay(day: string, field: string): void {
  const moment = /^20\d\d-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
  if (Number.isNaN(moment) || new Date(moment).toISOString().slice(0, 10) !== day)
    throw invalidRule(`${day.slice(0, 20)} isn't a valid date`, field);
}

function requireTimeZone(timeZone: string): void {
  try {
    startOfDay("2026-01-01", timeZone);
  } catch {
    throw invalidRule(`${timeZone.slice(0, 60)} isn't a time zone`, "time_zone");
  }
}

/** @param field its path in the rules */
export const invalidRule = (message: string, field: string) =>
  new Refusal("invalid", message, { field });

/** A field of the rules: its path, such as `filters[0].name`, and its label in messages. */
type RuleField = { path: string; label: string };

/**
 * Trims and validates a line of text.
 *
 * @throws Refusal `invalid` naming the field
 */
function readLine(text: string, { path, label }: RuleField, max: number): string {
  const line = text.trim();
  if (line === "") throw invalidRule(`${label} is required`, path);
  if (line.length > max) throw invalidRule(`${label} must have at most ${max} characters`, path);
  if (!isOneLine(line)) throw invalidRule(`${label} must not contain control characters`, path);
  return line;
}

/** Like `readLine`, for text of several lines, which end with LF. */
function readLines(text: string, { path, label }: RuleField, max: number): string {
  const lines = text.replace(/\r\n?/g, "\n").trim();
  if (lines === "") throw invalidRule(`${label} is required`, path);
  if (lines.length > max) throw invalidRule(`${label} must have at most ${max} characters`, path);
  if (!isOneLine(lines.replace(/[\n\t]/g, "")))
    throw invalidRule(`${label} must not contain control characters`, path);
  return lines;
}
