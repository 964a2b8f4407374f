import { z } from "zod";

import { sortQuery } from "#server/console/sort-query.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getQueueOverview, type Waiting } from "#server/core/operations/queue/queue.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const count = z.number();
const Reply = z.object({ dsn: z.string().nullable(), text: z.string() }).nullable();

const WaitingRow = z.object({
  subject: z.string(),
  name: z.string(),
  waiting: count,
  due: count,
  in_flight: count,
  delayed: count,
  parked: count.describe("On hold"),
  oldest_due_at: z.string().nullable(),
  next_attempt_at: z.string().nullable(),
  last_reply: Reply.describe("Latest reply to a delayed recipient"),
});

export const getQueue = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/queue",
  summary: "Retrieve the outgoing queue by destination and company, with all holds",
  permission: "operator",
  privilege: null,
  query: z.object({ sort: sortQuery(["waiting", "name", "next"], "-waiting") }),
  response: z.object({
    depth: z.object({
      waiting: count,
      due: count,
      in_flight: count,
      delayed: count,
      parked: count,
      oldest_due_seconds: count.nullable(),
    }),
    destinations: z.array(WaitingRow),
    companies: z.array(WaitingRow),
    holds: z.array(
      z.object({
        kind: z.enum(["destination", "company"]),
        subject: z.string(),
        name: z.string(),
        reason: z.string(),
        held_by: z.string().describe("Empty for a suspended company"),
        is_suspension: z
          .boolean()
          .describe("True for a suspended company: restoring it releases its mail"),
        created_at: z.string(),
      }),
    ),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const { depth, destinations, companies, holds } = await getQueueOverview(ctx.db, query.sort);
    return {
      depth: {
        waiting: depth.waiting,
        due: depth.due,
        in_flight: depth.inFlight,
        delayed: depth.delayed,
        parked: depth.parked,
        oldest_due_seconds: depth.oldestDueSeconds,
      },
      destinations: destinations.map(waitingRow),
      companies: companies.map(waitingRow),
      holds: holds.map(({ kind, subject, name, reason, heldBy, isSuspension, createdAt }) => ({
        ...{ kind, subject, name, reason, held_by: heldBy, is_suspension: isSuspension },
        created_at: consoleTimestamp(createdAt),
      })),
    };
  },
});

function waitingRow(row: Waiting): z.input<typeof WaitingRow> {
  const { subject, name, waiting, due, delayed, parked, inFlight, lastReply } = row;
  return {
    ...{ subject, name, waiting, due, delayed, parked, in_flight: inFlight },
    oldest_due_at: row.oldestDueAt && consoleTimestamp(row.oldestDueAt),
    next_attempt_at: row.nextAttemptAt && consoleTimestamp(row.nextAttemptAt),
    last_reply: lastReply,
  };
}
