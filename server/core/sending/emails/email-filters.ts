import { and, eq, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";

import { type EmailState, emails } from "#drizzle/schema/index.ts";

import {
  type CountedEventType,
  eventBit,
  eventBits,
} from "#server/core/sending/events/event-type-bits.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";

import { PROBLEM_STATES } from "./email-states.ts";

/** Filters of a company's emails; null or an empty list means any. */
export type EmailFilters = {
  /** Only test emails, or none. */
  isTest: boolean | null;
  /** Part of a recipient's address, words of the subject, an ID, or a Message-ID that contains one. */
  text?: string | null;
  /** Substring of an address in to, cc or bcc; case-insensitive. */
  recipient: string | null;
  /** Words that must all occur in the subject, in any order; case-insensitive. */
  subject: string | null;
  /** Also matches a problem of one recipient that another recipient's outcome has superseded. */
  states: EmailState[];
  /** Matches if the event ever happened, as metrics count. */
  event?: CountedEventType | null;
  domainId: string | null;
  /** `value` null matches any value. */
  tag: { name: string; value: string | null } | null;
  /** `none`: sent from the console. */
  apiKeyId: string | null;
  /** Accepted at or after `from`, and before `to`. */
  from: Date | null;
  to: Date | null;
};

export const WITHOUT_KEY = "none";

export const NO_FILTERS: EmailFilters = {
  ...{ recipient: null, subject: null, states: [], domainId: null, tag: null },
  ...{ apiKeyId: null, from: null, to: null, isTest: null },
};

/** Conditions that no index supports, so each email must be read. Undefined if there are none. */
export function unindexedConditions(filters: EmailFilters): SQL | undefined {
  const { recipient, subject, states, event = null, domainId, tag, apiKeyId } = filters;
  return and(
    matchesText(filters.text),
    recipient === null ? undefined : matchesRecipient(recipient),
    ...splitWords(subject).map(matchesSubject),
    states.length === 0 ? undefined : matchesState(states),
    event === null ? undefined : sql`${emails.eventTypes} & ${eventBit(event)} <> 0`,
    domainId === null ? undefined : eq(emails.domainId, domainId),
    tag === null ? undefined : hasTag(tag),
    apiKeyId === null
      ? undefined
      : apiKeyId === WITHOUT_KEY
        ? isNull(emails.apiKeyId)
        : eq(emails.apiKeyId, apiKeyId),
  );
}

/** Conditions that bound the search: a range of the newest-first index, or a single email. */
export const indexedConditions = ({ text = null, from, to }: EmailFilters): SQL | undefined =>
  and(
    text === null || idIn(text) === null ? undefined : eq(emails.id, idIn(text)!),
    from === null ? undefined : gte(emails.createdAt, from.toISOString()),
    to === null ? undefined : lt(emails.createdAt, to.toISOString()),
  );

function matchesState(states: EmailState[]): SQL | undefined {
  const troubles = eventBits(
    PROBLEM_STATES.filter((type) => type !== "complained" && states.includes(type)),
  );
  const isNewest = inArray(emails.lastEvent, states);
  return troubles === 0 ? isNewest : or(isNewest, sql`${emails.eventTypes} & ${troubles} <> 0`);
}

/** The ID that a text consists of: `01990000-…`, or `<01990000-…@example.com>`, the Message-ID. */
function idIn(text: string): string | null {
  const id = /^<?([\da-f-]{36})(@[^\s@]+)?$/.exec(text.trim().toLowerCase())?.[1];
  return id !== undefined && isUuid(id) ? id : null;
}

function matchesText(text?: string | null): SQL | undefined {
  if (text === undefined || text === null || idIn(text) !== null) return undefined;
  const words = splitWords(text);
  const inSubject = words.length === 0 ? undefined : and(...words.map(matchesSubject));
  return or(matchesRecipient(text), inSubject);
}

/** Addresses are stored in lower case. The line break keeps a match from spanning two of them. */
function matchesRecipient(part: string): SQL {
  const all = sql`array_to_string(${emails.to} || ${emails.cc} || ${emails.bcc}, chr(10))`;
  return sql`strpos(${all}, ${storable(part).toLowerCase()}) > 0`;
}

const matchesSubject = (word: string): SQL =>
  sql`strpos(lower(${emails.subject}), lower(${word})) > 0`;

const splitWords = (text: string | null): string[] =>
  storable(text ?? "")
    .split(/\s+/)
    .filter(Boolean);

function hasTag({ name, value }: { name: string; value: string | null }): SQL {
  const wanted = [{ name: storable(name), ...(value !== null && { value: storable(value) }) }];
  return sql`${emails.tags} @> ${JSON.stringify(wanted)}::jsonb`;
}

/** Postgres rejects NUL and lone surrogates. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();
