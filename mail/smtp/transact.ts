import { encodeContent } from "./content.ts";
import { envelopeCommands, offersDsn, type Transaction } from "./envelope.ts";
import type { Session, Timeouts } from "./session.ts";
import { isPositive, type Reply } from "./reply.ts";
import { WireError } from "./wire.ts";

/** The last reply about one recipient, or why there is none. */
export type RecipientVerdict =
  | { stage: "mail" | "rcpt" | "data"; reply: Reply }
  /** `isDsnRelayed`: the server received the request for notifications too. */
  | { stage: "content"; reply: Reply; isDsnRelayed?: boolean }
  | { stage: "lost"; error: WireError; contentSent: boolean };

export type TransactionResult = {
  /** One for each recipient, in order. */
  verdicts: RecipientVerdict[];
  /** The connection closed, or the server replied 421, before it processed this message. */
  untouched: boolean;
};

type Options = {
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
  transaction: Transaction,
  options: Options,
): Promise<TransactionResult> {
  const state: TransactionState = {
    session,
    transaction,
    options,
    verdicts: [],
    open: [],
    contentSent: false,
    endAt: performance.now() + options.timeouts.transactionMs,
  };
  state.open = transaction.recipients.map((_, at) => at);
  let lost: WireError | null = null;
  try {
    const isContentExpected = await sendEnvelope(state);
    if (isContentExpected) await sendContent(state);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    lost = error;
    session.finished = true;
  }
  const first = state.mailReply;
  const { verdicts, contentSent } = state;
  if (lost) for (const at of state.open) verdicts[at] = { stage: "lost", error: lost, contentSent };
  session.messages++;
  return { verdicts, untouched: first ? first.code === 421 : lost !== null };
}

type TransactionState = {
  session: Session;
  transaction: Transaction;
  options: Options;
  verdicts: RecipientVerdict[];
  /** Positions of recipients without a verdict yet. */
  open: number[];
  mailReply?: Reply;
  /** When the message must have been sent. */
  endAt: number;
  contentSent: boolean;
};

/** The commands that start a transaction, for a server that pipelines. */
export function pipelinedEnvelope(session: Session, transaction: Transaction): string {
  const reset = session.needsReset ? "RSET\r\n" : "";
  return reset + envelopeCommands(transaction, session).join("");
}

/**
 * Sends MAIL, RCPT and DATA. Resolves to true if the server now waits for content that some recipient will
 * receive.
 */
async function sendEnvelope(state: TransactionState): Promise<boolean> {
  const { session, transaction, options } = state;
  const { timeouts, envelopeSent } = options;
  const [mail, ...recipients] = envelopeCommands(transaction, session);
  const data = recipients.pop()!;
  const isGroup = session.extensions.has("PIPELINING");
  if (isGroup && !envelopeSent) session.wire.write(pipelinedEnvelope(session, transaction));

  if (session.needsReset) await sendCommand(state, "RSET\r\n", timeouts.commandMs);
  session.needsReset = false;
  const mailReply = (state.mailReply = await sendCommand(state, mail!, timeouts.mailMs));
  if (!isPositive(mailReply)) setRemainingVerdicts(state, { stage: "mail", reply: mailReply });
  // When pipelined, the replies to the other commands arrive anyway.
  if (!isPositive(mailReply) && !isGroup) return false;

  await sendRecipients(state, recipients);
  session.needsReset = state.open.length === 0;
  if (session.needsReset && !isGroup) return false;
  return handleDataReply(state, await sendCommand(state, data, timeouts.dataMs));
}

async function sendRecipients(state: TransactionState, commands: string[]) {
  for (const [at, command] of commands.entries()) {
    const reply = await sendCommand(state, command, state.options.timeouts.rcptMs);
    if (state.open.includes(at) && !isPositive(reply))
      setVerdict(state, at, { stage: "rcpt", reply });
  }
}

/** The reply to a command, which is written here unless it was pipelined. */
async function sendCommand(
  state: TransactionState,
  command: string,
  timeoutMs: number,
): Promise<Reply> {
  const { wire, extensions } = state.session;
  if (!extensions.has("PIPELINING")) wire.write(command);
  return readReply(state, Math.min(timeoutMs, leftMs(state)));
}

async function handleDataReply(state: TransactionState, reply: Reply): Promise<boolean> {
  const { session, options } = state;
  if (reply.code === 354 && state.open.length > 0) return true;
  if (reply.code === 354) {
    // No recipient was accepted, but the server waits for content: end it with an empty message.
    session.wire.write(".\r\n");
    await readReply(state, options.timeouts.acceptMs);
    session.needsReset = false;
    return false;
  }
  setRemainingVerdicts(state, { stage: "data", reply });
  session.needsReset = true;
  // A positive reply other than 354: the state of the session is unknown.
  if (reply.code < 400) session.finished = true;
  return false;
}

async function sendContent(state: TransactionState) {
  const { session, transaction, options } = state;
  if (options.beginContent?.() === false)
    throw new WireError("4.4.2", "Stopped before the message");
  const content = encodeContent(transaction.message);
  if (transaction.message.length > CONTENT_WITH_ENVELOPE_BYTES_MAX) {
    const blockMs = () => Math.min(options.timeouts.blockMs, leftMs(state));
    state.contentSent = await session.wire.writeLarge(content, blockMs);
  } else {
    state.contentSent = true;
    const mayFollow = session.extensions.has("PIPELINING") && !session.finished;
    const following = mayFollow ? options.followWith() : null;
    session.wire.write(...content, ...(following ? [following] : []));
  }
  if (!session.lmtp) {
    const reply = await readReply(state, options.timeouts.acceptMs);
    setRemainingVerdicts(state, contentVerdict(state, reply));
    return;
  }
  // RFC 2033 §4.2: a reply for each recipient that was accepted, in their order.
  for (const at of [...state.open])
    setVerdict(state, at, {
      stage: "content",
      reply: await readReply(state, options.timeouts.acceptMs),
    });
}

const leftMs = ({ endAt }: TransactionState): number => Math.max(1, endAt - performance.now());

function contentVerdict(
  { session, transaction }: TransactionState,
  reply: Reply,
): RecipientVerdict {
  const isDsnRelayed = transaction.dsn !== undefined && offersDsn(session);
  return { stage: "content", reply, ...(isDsnRelayed && { isDsnRelayed }) };
}

async function readReply({ session }: TransactionState, timeoutMs: number): Promise<Reply> {
  const reply = await session.wire.reply(timeoutMs);
  if (reply.code === 421) session.finished = true;
  return reply;
}

function setVerdict(state: TransactionState, at: number, verdict: RecipientVerdict) {
  state.verdicts[at] = verdict;
  state.open = state.open.filter((open) => open !== at);
}

function setRemainingVerdicts(state: TransactionState, verdict: RecipientVerdict) {
  for (const at of state.open) state.verdicts[at] = verdict;
  state.open = [];
}
