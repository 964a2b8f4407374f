import { z } from "zod";

import { sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  clearOverviewCache,
  dropWaiting,
  getQueueOverview,
  type LastReply,
  listWaiting,
  retryNow,
  type Waiting,
} from "#server/core/operations/queue/queue.ts";
import { hold, readSubject, release } from "#server/core/operations/queue/holds.ts";
import { explainReply } from "#server/core/sending/server-replies/explain-reply.ts";
import { operatorChange, operatorRead, pageEndpoints } from "#server/http/endpoint.ts";

import { currentOperator } from "./operate.ts";

/** A destination (its domain) or a company (its ID). */
const Subject = z.object({
  kind: z.enum(["destination", "company"]),
  subject: z.string().max(300),
});

function shownWaiting(row: Waiting) {
  const { subject, name, waiting, due, delayed, parked, inFlight, lastReply } = row;
  return {
    subject,
    name,
    waiting,
    due,
    delayed,
    parked,
    inFlight,
    oldestDueAt: row.oldestDueAt && consoleTimestamp(row.oldestDueAt),
    nextAttemptAt: row.nextAttemptAt && consoleTimestamp(row.nextAttemptAt),
    lastReply: lastReply && explained(lastReply),
  };
}

const explained = ({ dsn, text, destination }: LastReply) => ({
  text,
  why: explainReply({ dsn: dsn ?? "", message: text, domain: destination, isDelayed: true }).why,
});

/** The queue of outgoing mail, for operators. */
export const queueConsole = pageEndpoints("console", "queue", {
  get: operatorRead({
    query: z.object({ sort: sortQuery(["waiting", "name", "next"], "-waiting") }),
    async handle({ ctx, query }) {
      const { depth, destinations, companies, holds } = await getQueueOverview(ctx.db, query.sort);
      return {
        depth,
        destinations: destinations.map(shownWaiting),
        companies: companies.map(shownWaiting),
        holds: holds.map(({ kind, subject, name, reason, heldBy, isSuspension, createdAt }) => ({
          kind,
          subject,
          name,
          reason,
          heldBy,
          isSuspension,
          createdAt: consoleTimestamp(createdAt),
        })),
      };
    },
  }),

  listWaiting: operatorRead({
    query: Subject,
    async handle({ ctx, query }) {
      const subject = await readSubject(ctx.db, query);
      const rows = await listWaiting(ctx.db, subject);
      return {
        name: subject.name,
        data: rows.map((row) => ({
          id: row.id,
          queue: row.queue,
          parentId: row.parentId,
          company: { id: row.companyId, name: row.companyName },
          recipient: row.recipient,
          destination: row.destination,
          sender: row.sender,
          attempt: row.attempt,
          nextAttemptAt: row.nextAttemptAt && consoleTimestamp(row.nextAttemptAt),
          isInFlight: row.isInFlight,
          isParked: row.isParked,
          queuedAt: consoleTimestamp(row.queuedAt),
          lastReply: row.lastReply && explained(row.lastReply),
        })),
      };
    },
  }),

  holdMail: operatorChange({
    body: Subject.extend({ reason: z.string() }),
    async handle(call) {
      const held = await hold(currentOperator(call), call.body);
      clearOverviewCache();
      return held;
    },
  }),

  releaseMail: operatorChange({
    body: Subject,
    async handle(call) {
      await release(currentOperator(call), call.body);
      clearOverviewCache();
      return { released: true as const };
    },
  }),

  retryMail: operatorChange({
    body: Subject,
    async handle(call) {
      const recipients = await retryNow(currentOperator(call), call.body);
      clearOverviewCache();
      return { recipients };
    },
  }),

  dropMail: operatorChange({
    body: Subject,
    async handle(call) {
      const dropped = await dropWaiting(currentOperator(call), call.body);
      clearOverviewCache();
      return dropped;
    },
  }),
});
