import { encodeContent } from "./content.ts";
import { envelopeCommands, type Parcel } from "./envelope.ts";
import type { Session } from "./open-session.ts";
import { isPositive, type Reply } from "./reply.ts";
import type { Timeouts } from "./timeouts.ts";
import { WireError } from "./wire.ts";

/** The last reply about one recipient, or why there is none. */
export type Verdict =
  | { stage: "mail" | "rcpt" | "data" | "content"; reply: Reply }
  | { stage: "lost"; error: WireError; contentSent: boolean };

export type Transaction = {
  /** One for each recipient, in order. */
  verdicts: Verdict[];
  /** The connection closed, or the server replied 421, before it processed this message. */
  untouched: boolean;
};

type Terms = {
  timeouts: Timeouts;
  /** The envelope was pipelined behind the previous message. */
  envelopeSent: boolean;
  /**
   * Called when content is sent to a server that pipelines. Returns the next envelope to send behind it, so
   * that a message costs one round trip (RFC 2920 §3.1).
   */
  followWith: () => string | null;
  /** Called right before the content is sent. If it returns false, the content is not sent. */
  beginContent?: () => boolean;
};

/** Larger content is sent without the next envelope. */
const CONTENT_WITH_ENVELOPE_BYTES_MAX = 256 * 1024;

/** Sends one message over a session. Never throws for a server or network error. */
export async function transact(
  session: Session,
  parcel: Parcel,
  terms: Terms,
): Promise<Transaction> {
  const course: Course = { session, parcel, terms, verdicts: [], open: [], contentSent: false };
  course.open = parcel.recipients.map((_, at) => at);
  let lost: WireError | null = null;
  try {
    const goesOn = await settleEnvelope(course);
    if (goesOn) await settleContent(course);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    lost = error;
    session.finished = true;
  }
  const first = course.mailReply;
  const { verdicts, contentSent } = course;
  if (lost)
    for (const at of course.open) verdicts[at] = { stage: "lost", error: lost, contentSent };
  session.messages++;
  return { verdicts, untouched: first ? first.code === 421 : lost !== null };
}

type Course = {
  session: Session;
  parcel: Parcel;
  terms: Terms;
  verdicts: Verdict[];
  /** Positions of recipients without a verdict yet. */
  open: number[];
  mailReply?: Reply;
  contentSent: boolean;
};

/** The commands that start a transaction, for a server that pipelines. */
export function pipelinedEnvelope(session: Session, parcel: Parcel): string {
  const reset = session.needsReset ? "RSET\r\n" : "";
  return reset + envelopeCommands(parcel, session).join("");
}

/**
 * Sends MAIL, RCPT and DATA. Resolves to true if the server now waits for content that some recipient will
 * receive.
 */
async function settleEnvelope(course: Course): Promise<boolean> {
  const { session, parcel, terms } = course;
  const { timeouts, envelopeSent } = terms;
  const [mail, ...recipients] = envelopeCommands(parcel, session);
  const data = recipients.pop()!;
  const isGroup = session.extensions.has("PIPELINING");
  if (isGroup && !envelopeSent) session.wire.write(pipelinedEnvelope(session, parcel));

  if (session.needsReset) await ask(course, "RSET\r\n", timeouts.commandMs);
  session.needsReset = false;
  const mailReply = (course.mailReply = await ask(course, mail!, timeouts.mailMs));
  if (!isPositive(mailReply)) settleOpen(course, "mail", mailReply);
  // When pipelined, the replies to the other commands arrive anyway.
  if (!isPositive(mailReply) && !isGroup) return false;

  await settleRecipients(course, recipients);
  session.needsReset = course.open.length === 0;
  if (session.needsReset && !isGroup) return false;
  return settleData(course, await ask(course, data, timeouts.dataMs));
}

async function settleRecipients(course: Course, commands: string[]) {
  for (const [at, command] of commands.entries()) {
    const reply = await ask(course, command, course.terms.timeouts.rcptMs);
    if (course.open.includes(at) && !isPositive(reply))
      settle(course, at, { stage: "rcpt", reply });
  }
}

/** The reply to a command, which is written here unless it was pipelined. */
async function ask(course: Course, command: string, timeoutMs: number): Promise<Reply> {
  const { wire, extensions } = course.session;
  if (!extensions.has("PIPELINING")) wire.write(command);
  return hear(course, timeoutMs);
}

async function settleData(course: Course, reply: Reply): Promise<boolean> {
  const { session, terms } = course;
  if (reply.code === 354 && course.open.length > 0) return true;
  if (reply.code === 354) {
    // No recipient was accepted, but the server waits for content: end it with an empty message.
    session.wire.write(".\r\n");
    await hear(course, terms.timeouts.acceptMs);
    session.needsReset = false;
    return false;
  }
  settleOpen(course, "data", reply);
  session.needsReset = true;
  // A positive reply other than 354: the state of the session is unknown.
  if (reply.code < 400) session.finished = true;
  return false;
}

async function settleContent(course: Course) {
  const { session, parcel, terms } = course;
  if (terms.beginContent?.() === false) throw new WireError("4.4.2", "Stopped before the message");
  const content = encodeContent(parcel.message);
  course.contentSent = true;
  if (parcel.message.length > CONTENT_WITH_ENVELOPE_BYTES_MAX)
    await session.wire.writeLarge(content, terms.timeouts.blockMs);
  else {
    const mayFollow = session.extensions.has("PIPELINING") && !session.finished;
    const following = mayFollow ? terms.followWith() : null;
    session.wire.write(...content, ...(following ? [following] : []));
  }
  if (!session.lmtp) {
    settleOpen(course, "content", await hear(course, terms.timeouts.acceptMs));
    return;
  }
  // RFC 2033 §4.2: a reply for each recipient that was accepted, in their order.
  for (const at of [...course.open])
    settle(course, at, { stage: "content", reply: await hear(course, terms.timeouts.acceptMs) });
}

async function hear({ session }: Course, timeoutMs: number): Promise<Reply> {
  const reply = await session.wire.reply(timeoutMs);
  if (reply.code === 421) session.finished = true;
  return reply;
}

function settle(course: Course, at: number, verdict: Verdict) {
  course.verdicts[at] = verdict;
  course.open = course.open.filter((open) => open !== at);
}

function settleOpen(course: Course, stage: "mail" | "data" | "content", reply: Reply) {
  for (const at of course.open) course.verdicts[at] = { stage, reply };
  course.open = [];
}
