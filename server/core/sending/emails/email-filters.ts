import { and, eq, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";

import { type EmailEventType, emails } from "#drizzle/schema/index.ts";

import {
  type CountedEventType,
  eventBit,
  eventBits,
} from "#server/core/sending/events/event-type-bits.ts";
import { PROBLEM_STATES } from "./email-states.ts";

/** Which emails of a company are looked for; null, or no state, for all of them. */
export type EmailFilters = {
  /** Part of an address in to, cc or bcc, in any case. */
  recipient: string | null;
  /** Words that all stand in the subject, in any order and case. */
  subject: string | null;
  /** What befell a recipient counts too, though another recipient's outcome came after it. */
  states: EmailEventType[];
  /** One that happened to it at any time, whatever came after: what metrics count. */
  event?: CountedEventType | null;
  domainId: string | null;
  /** `value` null: whatever its value. */
  tag: { name: string; value: string | null } | null;
  /** `none`: sent without a key, from the console. */
  apiKeyId: string | null;
  /** Accepted at this moment or later, and before that one. */
  from: Date | null;
  to: Date | null;
};

/** Without a key. */
export const WITHOUT_KEY = "none";

/** What no index helps with: each email has to be looked at. Undefined when nothing of that kind is asked. */
export function unindexedConditions(filters: EmailFilters): SQL | undefined {
  const { recipient, subject, states, event = null, domainId, tag, apiKeyId } = filters;
  return and(
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

/** The part of the newest-first index that can hold what is looked for. */
export const inTimeRange = ({ from, to }: EmailFilters): SQL | undefined =>
  and(
    from === null ? undefined : gte(emails.createdAt, from.toISOString()),
    to === null ? undefined : lt(emails.createdAt, to.toISOString()),
  );

function matchesState(states: EmailEventType[]): SQL | undefined {
  const troubles = eventBits(
    PROBLEM_STATES.filter((type) => type !== "complained" && states.includes(type)),
  );
  const isNewest = inArray(emails.lastEvent, states);
  return troubles === 0 ? isNewest : or(isNewest, sql`${emails.eventTypes} & ${troubles} <> 0`);
}

/** Addresses are kept in small letters. A line break stands between them: nothing is found across two. */
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

/** Postgres takes neither NUL nor half a surrogate pair. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();
