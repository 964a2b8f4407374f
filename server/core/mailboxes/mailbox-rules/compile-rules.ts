import { Temporal } from "temporal-polyfill";

import type { MailboxRules, MailFilter, Vacation } from "#drizzle/schema/index.ts";

/** A mailbox's rules for incoming mail. */
export type Rules = Pick<MailboxRules, "forwardTo" | "keepCopy" | "vacation" | "filters">;

/** A sender receives the vacation reply once in this many days (RFC 5230 §4.1). */
const VACATION_DAYS = 7;

/** Extensions by the command that needs them (RFCs 3894, 5173, 5230, 5231, 5232, 5260, 5490). */
const EXTENSIONS: [extension: string, use: RegExp][] = [
  ["copy", /^redirect :copy /m],
  ["date", /^if allof\(currentdate /m],
  ["fileinto", /^ {2}fileinto /m],
  ["imap4flags", /^ {2}addflag /m],
  ["mailbox", /^ {2}fileinto :create /m],
  ["relational", /^if allof\(currentdate /m],
  ["vacation", /^ *vacation /m],
];

/**
 * Compiles rules into a Sieve script (RFC 5228); "" if there is nothing to do. Applies every matching filter
 * that marks a message, but only the first that files or deletes it. Deleted mail is neither forwarded nor
 * answered. Texts may contain anything but NUL.
 *
 * @param own the mailbox's address and aliases: only mail to one of them is answered
 */
export function compileRules(rules: Rules, own: string[]): string {
  const filters = rules.filters.filter(({ isOn, conditions }) => isOn && conditions.length > 0);
  const body = [
    ...filters.filter(isMark).map(mark),
    places(
      filters.filter((filter) => !isMark(filter)),
      isKept(rules),
    ),
    ...rules.forwardTo.map((address) => forward(address, rules.keepCopy)),
    rules.vacation?.isOn ? vacation(rules.vacation, own) : "",
  ].join("");
  if (body === "") return "";
  return `${require(body)}${body}`;
}

const isKept = ({ forwardTo, keepCopy }: Rules) => keepCopy || forwardTo.length === 0;

const isMark = ({ action: { kind } }: MailFilter) => kind === "flag" || kind === "read";

/** User text is always in strings, never at the start of a command's line: see `sieveString`. */
function require(body: string): string {
  const used = EXTENSIONS.filter(([, use]) => use.test(withoutStrings(body)));
  return used.length === 0 ? "" : `require ${sieveList(used.map(([name]) => name))};\r\n`;
}

const withoutStrings = (script: string) => script.replace(/"(?:[^"\\]|\\[^])*"/g, '""');

function mark(filter: MailFilter): string {
  const flag = filter.action.kind === "flag" ? "\\Flagged" : "\\Seen";
  return `if ${test(filter)} {\r\n  addflag ${sieveString(flag)};\r\n}\r\n`;
}

function places(filters: MailFilter[], kept: boolean): string {
  if (filters.length === 0) return "";
  const branches = filters.map(
    (filter) => `if ${test(filter)} {\r\n${filingActions(filter, kept)}}`,
  );
  return `${branches.join(" els")}\r\n`;
}

/** With forwarding and no copy kept, filing does nothing. */
function filingActions({ action }: MailFilter, kept: boolean): string {
  if (action.kind === "discard") return "  discard;\r\n  stop;\r\n";
  if (action.kind !== "file" || !kept) return "";
  return `  fileinto :create ${sieveString(action.folder)};\r\n`;
}

function test({ match, conditions }: MailFilter): string {
  const tests = conditions.map(condition).join(", ");
  return `${match === "all" ? "allof" : "anyof"}(${tests})`;
}

/**
 * `contains` also searches display names, which is how people know senders; `is` compares the whole address.
 */
function condition({ field, test, value }: MailFilter["conditions"][number]): string {
  const fields = field === "to" ? ["to", "cc"] : [field];
  const what = field === "subject" || test === "contains" ? "header" : "address :all";
  return `${what} :${test} ${sieveList(fields)} ${sieveString(value)}`;
}

const forward = (address: string, keepCopy: boolean): string =>
  `redirect ${keepCopy ? ":copy " : ""}${sieveString(address)};\r\n`;

function vacation({ subject, text, startsOn, endsOn, timeZone }: Vacation, own: string[]): string {
  const answer = `vacation :days ${VACATION_DAYS} :subject ${sieveString(subject)} :addresses ${sieveList(own)} ${sieveString(text)};\r\n`;
  const bounds = [
    ...(startsOn ? [bound("ge", startOfDay(startsOn, timeZone))] : []),
    ...(endsOn ? [bound("lt", startOfDay(dayAfter(endsOn), timeZone))] : []),
  ];
  if (bounds.length === 0) return answer;
  return `if allof(${bounds.join(", ")}) {\r\n  ${answer}}\r\n`;
}

/** Timestamps in one zone compare as text. */
function bound(relation: "ge" | "lt", moment: Date): string {
  const text = moment.toISOString().slice(0, "2026-12-24T00:00:00".length);
  return `currentdate :zone "+0000" :value "${relation}" "iso8601" ${sieveString(text)}`;
}

/**
 * Quotes text for Sieve (RFC 5228 §2.4.2). Only quote and backslash are special; line breaks are allowed.
 * There are no variables, because our scripts don't require that extension.
 */
function sieveString(text: string): string {
  const lines = text.replace(/\r\n?|\n/g, "\r\n");
  return `"${lines.replace(/["\\]/g, "\\$&")}"`;
}

const sieveList = (texts: string[]): string => `[${texts.map(sieveString).join(", ")}]`;

/**
 * The moment a day begins in a time zone.
 *
 * @param day `2026-12-24`
 * @param timeZone an IANA name or an offset such as `+01:00`
 */
export const startOfDay = (day: string, timeZone: string): Date =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds);

/** The next day, in the same format. */
export const dayAfter = (day: string): string =>
  Temporal.PlainDate.from(day).add({ days: 1 }).toString();
