import { type SQL, sql } from "drizzle-orm";

import { emailEventType } from "#drizzle/schema/index.ts";

/** The types in `emails.event_types`: all event types, and complaints, which aren't stored as events. */
export type CountedEventType = (typeof emailEventType.enumValues)[number] | "complained";

const COMPLAINED_BIT = 1 << 30;

/** The sign of `emails.event_types` of test emails: the metrics' index has no `is_test`. */
export const TEST_BIT = 1 << 31;

/** The bit of a type in `emails.event_types`: its position in the enum, which is append-only. */
export const eventBit = (type: CountedEventType): number =>
  type === "complained" ? COMPLAINED_BIT : 1 << emailEventType.enumValues.indexOf(type);

/** The bit set of several types. */
export const eventBits = (types: CountedEventType[]): number =>
  types.reduce((bits, type) => bits | eventBit(type), 0);

/** `eventBit` in SQL, for an expression of type `email_event_type`. */
export const eventBitSql = (type: SQL): SQL =>
  sql`(1 << array_position(enum_range(null::email_event_type), ${type}) - 1)`;
