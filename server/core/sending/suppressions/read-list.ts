import type { Suppression } from "#drizzle/schema/index.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { plainHeading } from "#server/universal/imports/parse-table.ts";

type SuppressionOrigin = Suppression["origin"];

/** How the rows of a list are read: which columns say what, recognized by its first row and its file's name. */
export type ListFormat = {
  /** Shown to users. */
  name: string;
  /** Heading of the address column; null if the first row has no headings. */
  heading: string | null;
  /** Index of the address column; null if the list has none. */
  email: number;
  reason: number | null;
  /** Who caused it, at Postmark. */
  actor: number | null;
  date: number | null;
  /** Origin of rows whose reason isn't known. */
  origin: SuppressionOrigin;
  /** Why no row of the list can be imported. */
  problem: string | null;
};

type Known = {
  name: string;
  /** Headings that identify the format, in the form of `plainHeading`. */
  head: string[];
  /** Headings that it doesn't have. */
  without?: string[];
  email: string;
  reason?: string;
  actor?: string;
  date: string;
  origin?: SuppressionOrigin;
};

/** The columns of each provider's export, or the fields of its API. The first match wins. */
const KNOWN: Known[] = [
  {
    name: "Posthouse",
    head: ["email", "origin", "source_email_id"],
    email: "email",
    reason: "origin",
    date: "created_at",
  },
  {
    name: "Resend",
    head: ["email", "origin", "created_at"],
    email: "email",
    reason: "origin",
    date: "created_at",
  },
  {
    name: "Postmark",
    head: ["email_address", "suppression_reason"],

    email: "email_address",
    reason: "suppression_reason",
    actor: "origin",
    date: "created_at",
  },
  {
    name: "Amazon SES",
    head: ["email_address", "reason"],
    email: "email_address",
    reason: "reason",
    date: "last_update_time",
  },
  // The reason is the reply of the server, which may mention spam.
  {
    name: "SendGrid bounces",
    head: ["status", "reason", "email", "created"],
    email: "email",
    date: "created",
    origin: "bounce",
  },
  {
    name: "SendGrid invalid addresses",
    head: ["reason", "email", "created"],
    email: "email",
    date: "created",
    origin: "bounce",
  },
  {
    name: "SendGrid spam reports",
    head: ["ip", "email", "created"],
    email: "email",
    date: "created",
    origin: "complaint",
  },
  {
    name: "SendGrid unsubscribes",
    head: ["email", "created"],
    email: "email",
    date: "created",
    origin: "unsubscribe",
  },
  {
    name: "Mailgun bounces",
    head: ["address", "code", "error", "created_at"],
    email: "address",
    date: "created_at",
    origin: "bounce",
  },
  {
    name: "Mailgun unsubscribes",
    head: ["address", "tags", "created_at"],
    email: "address",
    date: "created_at",
    origin: "unsubscribe",
  },
  {
    name: "Mailgun complaints",
    head: ["address", "created_at"],
    without: ["reason", "origin", "type"],
    email: "address",
    date: "created_at",
    origin: "complaint",
  },
];

/** @param fileName which some providers write the reason into */
export function recognizeList(first: string[], fileName: string): ListFormat {
  const head = first.map(plainHeading);
  const at = (name: string | undefined) => {
    const found = name === undefined ? -1 : head.indexOf(name);
    return found === -1 ? null : found;
  };
  const known = KNOWN.find(
    ({ head: wanted, without = [] }) =>
      wanted.every((name) => head.includes(name)) && !without.some((name) => head.includes(name)),
  );
  if (!known || first.some((cell) => cell.includes("@"))) return recognizeCsv(first, fileName);
  return {
    name: known.name,
    heading: first[at(known.email)!]!,
    email: at(known.email)!,
    reason: at(known.reason),
    actor: at(known.actor),
    date: at(known.date),
    origin: known.origin ?? "manual",
    problem:
      known.name === "SendGrid bounces" && /block/i.test(fileName)
        ? "SendGrid blocks are temporary: it doesn't suppress these addresses"
        : null,
  };
}

const EMAIL = /^\W*(e-?mail|mail|address|recipient)/i;
const REASONS = ["reason", "origin", "type", "suppression_reason", "suppression_type", "category"];
const DATES = ["created_at", "created", "date", "timestamp", "time", "added_at", "suppressed_at"];

/** Any table: the column with an email heading, or else the first one that contains an @. */
function recognizeCsv(first: string[], fileName: string): ListFormat {
  const named = first.findIndex((cell) => EMAIL.test(cell) && !cell.includes("@"));
  const hasHead = named !== -1;
  const column = (names: string[]) => {
    const found = first.findIndex((cell) => names.includes(plainHeading(cell)));
    return hasHead && found !== -1 ? found : null;
  };
  const email = hasHead
    ? named
    : Math.max(
        0,
        first.findIndex((cell) => cell.includes("@")),
      );
  // SES accepts lists without headings: an address, and BOUNCE or COMPLAINT.
  const bare = first.findIndex((cell, at) => at !== email && originOf(cell) !== null);
  return {
    name: hasHead || first.length > 1 ? "CSV" : "List of addresses",
    email,
    heading: hasHead ? first[named]! : null,
    reason: hasHead ? column(REASONS) : bare === -1 ? null : bare,
    actor: null,
    date: column(DATES),
    origin: originOf(fileName.replaceAll(/[_.-]/g, " ")) ?? "manual",
    problem: null,
  };
}

export type ReadRow =
  | { entry: NewSuppression }
  /** Why the row can't be imported, and its address as written. */
  | { problem: string; written: string };

/** Reads a row. Rows with headings, which joined files repeat, are null. */
export function readRow(cells: string[], format: ListFormat, now: Date): ReadRow | null {
  if (format.heading !== null && cells[format.email] === format.heading) return null;
  const cell = (at: number | null) =>
    at === null ? "" : unescapeFormula((cells[at] ?? "").trim());
  const written = cell(format.email);
  const address = parseRecipient(written)?.address;
  if (address === undefined) return { problem: "Not a valid email address", written };
  if (format.problem !== null) return { problem: format.problem, written };
  const origin = originOf(cell(format.reason)) ?? format.origin;
  // At Postmark, recipients who unsubscribe suppress themselves.
  const isUnsubscribe = origin === "manual" && /^recipient$/i.test(cell(format.actor));
  return {
    entry: {
      email: address,
      origin: isUnsubscribe ? "unsubscribe" : origin,
      createdAt: readDate(cell(format.date), now),
    },
  };
}

/** Removes the apostrophe that exports, including ours, put before values that look like formulas. */
const unescapeFormula = (text: string) =>
  text.replace(/^\uFEFF?'(?=[=+\-@])/, "").replace(/^\uFEFF/, "");

/** Longer texts are replies of servers, or notes. */
const REASON_MAX = 40;

function originOf(text: string): SuppressionOrigin | null {
  if (text.length > REASON_MAX) return null;
  if (/complain|spam|abuse/i.test(text)) return "complaint";
  if (/unsub|opt(ed)?[ _-]?out/i.test(text)) return "unsubscribe";
  if (/bounce|invalid/i.test(text)) return "bounce";
  return /^manual/i.test(text) ? "manual" : null;
}

const OLDEST = Date.UTC(1990, 0, 1);

/** Unix time, ISO 8601 or RFC 5322; UTC without a zone. Null if it is none of these, or in the future. */
function readDate(text: string, now: Date): string | null {
  const time = readTime(text);
  if (!(time >= OLDEST && time <= now.getTime())) return null;
  return new Date(time).toISOString();
}

function readTime(text: string): number {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (/^\d{12,13}$/.test(text)) return Number(text);
  if (/^[A-Z][a-z]{2}, \d/.test(text)) return Date.parse(text);
  const [, date, clock = "00:00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i.exec(
      text,
    ) ?? [];
  if (date === undefined) return NaN;
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^(UTC|z)$/i, "Z");
  return Date.parse(`${date}T${clock.slice(0, 12)}${offset}`);
}

export type NewSuppression = {
  /** As parseRecipient returns it. */
  email: string;
  origin: Suppression["origin"];
  /** When it was suppressed elsewhere; null: now. */
  createdAt: string | null;
};
