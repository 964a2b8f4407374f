import { and, eq, isNull, sql } from "drizzle-orm";

import { receivedAttachments, receivedContents, receivedEmails } from "#drizzle/schema/index.ts";
import { ParserThread } from "#server/core/shared/parser-thread.ts";
import { recordReply } from "#server/core/mail/replies/record-reply.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { createContext, inTransaction } from "#server/core/shared/context.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { PARSERS_OF_RECEIVED } from "#server/jobs/catalogue.ts";
import { programFile } from "#server/processes/program-file.ts";

import type { ParsedContent, ParseResult } from "./internal/parse-content.ts";
import { publishReceived } from "./receive-email.ts";

const threads = new ParserThread<ParseResult>(
  programFile("server/core/mail/received/internal/parser-worker.ts"),
  {
    timeoutMs: 30_000,
    onExceeded: () => ({ problem: "Parsing it takes too much time or memory" }),
    threads: PARSERS_OF_RECEIVED,
  },
);

/** Attempts; graphile-worker spreads them over half an hour. */
const ATTEMPTS_MAX = 7;

const UNPARSED: ParsedContent = {
  to: [],
  cc: [],
  bcc: [],
  replyTo: [],
  headers: {},
  text: null,
  html: null,
  files: [],
  problem: null,
};

const FAILED_RESULT: ParseResult = { problem: "Parsing it failed repeatedly" };

/**
 * Parses a received email, records the reply that it may be, and publishes `email.received`, all once. An email that
 * can't be parsed is published too, with what its header said on arrival; the message itself can be downloaded.
 * After seven failed attempts it is published anyway. Reply detection is skipped, in case it's what fails.
 */
export async function parseReceived(db: Db, id: string, { attempt = 1 } = {}): Promise<void> {
  const isWaiting = and(eq(receivedEmails.id, id), isNull(receivedEmails.parsedAt));
  const [waiting] = await db
    .select({ companyId: receivedEmails.companyId, content: receivedContents.content })
    .from(receivedEmails)
    .innerJoin(receivedContents, eq(receivedContents.emailId, receivedEmails.id))
    .where(isWaiting);
  if (!waiting) return;
  const { companyId, content } = waiting;
  const isGivenUp = attempt > ATTEMPTS_MAX;
  const result = isGivenUp ? FAILED_RESULT : await threads.parse(content);
  const { files, headers, text, html, problem, ...addresses } =
    "content" in result ? result.content : UNPARSED;
  const ctx = createContext(db, companyId, { kind: "system", task: "parse_received" });
  await inTransaction(ctx, async (ctx) => {
    const [email] = await ctx.db
      .update(receivedEmails)
      .set({
        ...addresses,
        parsedAt: sql`clock_timestamp()`,
        problem: "problem" in result ? result.problem : problem,
      })
      .where(isWaiting)
      .returning();
    if (!email) return;
    await ctx.db
      .update(receivedContents)
      .set({ headers, text, html })
      .where(eq(receivedContents.emailId, id));
    for (const [position, file] of files.entries())
      await ctx.db
        .insert(receivedAttachments)
        .values({ ...file, emailId: id, position, content: Buffer.from(file.content) });
    const { sender, receivedFor } = email;
    const reply = { sender, message: new Message(content), receivedFor, receivedEmailId: id };
    const repliedEmailId = isGivenUp ? null : await recordReply(ctx, reply);
    if (repliedEmailId !== null)
      await ctx.db.update(receivedEmails).set({ repliedEmailId }).where(eq(receivedEmails.id, id));
    await publishReceived(ctx, { ...email, repliedEmailId }, files);
  });
  wakeWebhooks(db);
}
