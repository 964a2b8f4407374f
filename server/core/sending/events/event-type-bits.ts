import { type SQL, sql } from "drizzle-orm";

import { emailEventType } from "#drizzle/schema/index.ts";

/** What `emails.event_types` can hold: every type of the history, and complaints, which are no part of it. */
export type CountedEventType = (typeof emailEventType.enumValues)[number] | "complained";

const COMPLAINED_BIT = 1 << 30;

/** The bit of a type in `emails.event_types`: its place in the enumeration, which is only ever appended to. */
export const eventBit = (type: CountedEventType): number =>
  type === "complained" ? COMPLAINED_BIT : 1 << emailEventType.enumValues.indexOf(type);

/** The set of several types. */
export const eventBits = (types: CountedEventType[]): number =>
  types.reduce((bits, type) => bits | eventBit(type), 0);

/** The same in SQL, of an expression of type `email_event_type`. */
export const eventBitSql = (type: SQL): SQL =>
  sql`(1 << array_position(enum_range(null::email_event_type), ${type}) - 1)`;
