import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listWaiting as list } from "#server/core/operations/queue/queue.ts";
import { readSubject } from "#server/core/operations/queue/holds.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Subject } from "./subject.ts";

const Row = z.object({
  id: z.string(),
  queue: z.enum(["email", "message"]),
  parent_id: z.uuid(),
  company: z.object({ id: z.uuid(), name: z.string() }),
  recipient: z.string(),
  destination: z.string(),
  sender: z.string(),
  attempt: z.number(),
  next_attempt_at: z.string().nullable().describe("Null while on hold or being delivered"),
  is_in_flight: z.boolean(),
  is_parked: z.boolean(),
  queued_at: z.string(),
  last_reply: z.object({ dsn: z.string().nullable(), text: z.string() }).nullable(),
});

export const listWaiting = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/queue/waiting",
  summary: "List the first 50 queued recipients of a destination or company",
  permission: "operator",
  privilege: null,
  query: Subject,
  response: z.object({ name: z.string(), data: z.array(Row) }),
  refusals: ["invalid", "not_found"],
  async handle({ ctx, query }) {
    const subject = await readSubject(ctx.db, query);
    const rows = await list(ctx.db, subject);
    return {
      name: subject.name,
      data: rows.map((row) => ({
        ...{ id: row.id, queue: row.queue, parent_id: row.parentId },
        company: { id: row.companyId, name: row.companyName },
        ...{ recipient: row.recipient, destination: row.destination, sender: row.sender },
        attempt: row.attempt,
        next_attempt_at: row.nextAttemptAt && consoleTimestamp(row.nextAttemptAt),
        ...{ is_in_flight: row.isInFlight, is_parked: row.isParked },
        queued_at: consoleTimestamp(row.queuedAt),
        last_reply: row.lastReply,
      })),
    };
  },
});
