import { type SQL, sql } from "drizzle-orm";

import { type CountedEventType, eventBits } from "#server/core/sending/events/email-events.ts";

const SLOTS = 128;

/** Outcomes of emails: how many of 128 have each, their histories, and the latest event. */
const HISTORIES: { of128: number; types: CountedEventType[]; last: string }[] = [
  { of128: 60, types: ["sent", "delivered"], last: "delivered" },
  { of128: 36, types: ["sent", "delivered", "opened"], last: "opened" },
  { of128: 8, types: ["sent", "delivered", "opened", "clicked"], last: "clicked" },
  { of128: 5, types: ["sent", "delivered", "delivery_delayed"], last: "delivered" },
  { of128: 5, types: ["scheduled", "queued", "sent", "delivered"], last: "delivered" },
  { of128: 6, types: ["sent", "bounced"], last: "bounced" },
  { of128: 2, types: ["sent", "delivered", "suppressed"], last: "delivered" },
  { of128: 2, types: ["suppressed"], last: "suppressed" },
  { of128: 1, types: ["sent", "delivered", "complained"], last: "delivered" },
  { of128: 1, types: ["failed"], last: "failed" },
  { of128: 2, types: ["scheduled", "canceled"], last: "canceled" },
];

/** A row for each slot from 0 to 127, with the outcome of the emails in it. */
export function emailSlots(): SQL {
  const slots = HISTORIES.flatMap(({ of128, types, last }) =>
    Array.from({ length: of128 }, () => ({
      event_types: eventBits(types),
      last_event: last,
      is_sent: types.includes("sent"),
      is_scheduled: types.includes("scheduled"),
    })),
  ).map((slot, place) => ({ place, ...slot }));
  if (slots.length !== SLOTS) throw new Error(`There are ${slots.length} slots, not ${SLOTS}`);
  return sql`
    select * from jsonb_to_recordset(${JSON.stringify(slots)}::jsonb) as t (place int,
      event_types int, last_event email_event_type, is_sent boolean, is_scheduled boolean)`;
}
