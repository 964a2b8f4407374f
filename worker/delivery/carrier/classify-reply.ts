import type { Cause } from "#server/core/sending/replies/causes.ts";
import { findCause } from "#server/core/sending/replies/explain-reply.ts";
import {
  deriveDsn,
  isRecipientFailure,
  recipientFailureByCode,
} from "#server/core/sending/outbox/recipient-failure.ts";
import type { Failure } from "#worker/delivery/delivery.ts";
import { readThrottle } from "#worker/delivery/shaping/read-throttle.ts";
import type { Reply } from "#worker/delivery/smtp/reply.ts";

const MESSAGE_CHARACTERS_MAX = 500;

/** The step that the reply belongs to. */
export type Stage = "greeting" | "hello" | "auth" | "mail" | "rcpt" | "data" | "content";

/** What the reply means for one recipient depends on the others of its transaction. */
type Others = {
  /** For a reply to RCPT: the server accepted another recipient. */
  isOtherAccepted?: boolean;
  /** For a reply to the content: it is about several recipients. */
  isShared?: boolean;
};

/**
 * What a reply means for one recipient. 4xx is retried. 5xx is permanent, unless it rejects this machine as
 * a whole: blocks get lifted, so it is retried too. So are recipients over the server's limit for one transaction
 * (RFC 5321, 4.5.3.1.10).
 *
 * A permanent failure suppresses the address if the reply is to RCPT and isn't about the message or the sender, or if it is
 * to the content, for this recipient only, and its code is about the recipient.
 */
export function classifyReply(reply: Reply, stage: Stage, others: Others = {}): Failure {
  const message = readMessage(reply);
  if (stage === "content" && reply.code >= 200 && reply.code < 300)
    return { result: "delivered", dsn: readDsn(reply, message, stage), message, suppress: false };
  // A positive reply where none was expected is nonsense, and may be temporary.
  if (reply.code < 400) return { ...DELAYED, dsn: "4.5.0", message };
  const dsn = readDsn(reply, message, stage);
  if (reply.code >= 500)
    return classifyRejection({ code: reply.code, dsn, message }, stage, others);
  const throttle = readThrottle({ code: reply.code, dsn, message });
  return { ...DELAYED, dsn, message, ...(throttle && { throttle, ...afterRecipient(stage) }) };
}

type Rejection = { code: number; dsn: string; message: string };

function classifyRejection({ code, ...reply }: Rejection, stage: Stage, others: Others): Failure {
  if (isBlock(stage, code, reply))
    return {
      ...{ ...DELAYED, ...reply, dsn: reply.dsn.replace(/^5/, "4") },
      ...{ isBlock: true, throttle: "block", ...afterRecipient(stage) },
    };
  if (stage === "rcpt" && others.isOtherAccepted && isRecipientLimit(code, reply.dsn))
    return { ...DELAYED, ...reply, dsn: "4.5.3" };
  return { result: "bounced", ...reply, suppress: isRecipientGone(stage, reply, others) };
}

const afterRecipient = (stage: Stage) =>
  AFTER_RECIPIENT.has(stage) && { isAfterRecipient: true as const };

function isRecipientGone(
  stage: Stage,
  { dsn, message }: { dsn: string; message: string },
  { isShared = false }: Others,
): boolean {
  if (stage === "rcpt") return isRecipientFailure(dsn, message, { isToRcpt: true });
  return stage === "content" && !isShared && recipientFailureByCode(dsn) === true;
}

/** 552 also means a full mailbox; then `dsn` is 5.2.2, even if only the text says so. */
const isRecipientLimit = (code: number, dsn: string): boolean =>
  dsn === "5.5.3" || (code === 552 && dsn === "5.0.0");

const AFTER_RECIPIENT = new Set<Stage>(["rcpt", "data", "content"]);

const DELAYED = { result: "delayed", suppress: false } as const;

/** Causes that concern this machine's IP address. */
const BLOCKS: Cause[] = ["blocklisted", "poor_reputation", "no_reverse_name"];
/** A blocklisted sender domain affects only one company, a blocklisted link only one message. */
const ABOUT_SENDER =
  /\b(uri|sur)bl\b|(black|block) ?listed ur[il]|\bur[il]s? (black|block) ?listed|\bdbl\b|\benvelope\b|(sender|from|mail|sending) (address|domain)|\bdomain \S+ (is )?(listed|block)/i;

/** The greeting code of a host that never accepts mail (RFC 7504). */
const ACCEPTS_NO_MAIL = 521;

/** Whether a 5xx reply rejects this machine, regardless of message and recipient. */
function isBlock(stage: Stage, code: number, reply: { dsn: string; message: string }): boolean {
  if (stage === "greeting" && code === ACCEPTS_NO_MAIL) return BLOCKS.includes(findCause(reply));
  if (stage === "greeting" || stage === "hello") return true;
  if (stage === "auth" || ABOUT_SENDER.test(reply.message)) return false;
  return BLOCKS.includes(findCause(reply));
}

/** A reply before RCPT can't be about the recipient. */
const knowsRecipient = (stage: Stage): boolean => stage === "rcpt" || stage === "content";

/** The reply on one line, without control characters. */
function readMessage({ code, lines }: Reply): string {
  const [enhancedCode = ""] = /^[245]\.\d{1,3}\.\d{1,3} /.exec(lines[0] ?? "") ?? [];
  const text = lines
    // Some servers begin each line with the enhanced code.
    .map((line, at) =>
      at > 0 && line.startsWith(enhancedCode) ? line.slice(enhancedCode.length) : line,
    )
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `${code} ${text}`.trim().slice(0, MESSAGE_CHARACTERS_MAX);
}

/** The server's enhanced code, in the class of its reply code; derived from the text if there is none. */
function readDsn({ code, lines }: Reply, message: string, stage: Stage): string {
  const digit = Math.floor(code / 100);
  // At the start, or where qmail puts it: "sorry, no mailbox here by that name. (#5.1.1)".
  const [, first, last] =
    /^\W{0,2}[245]\.(\d{1,3}\.\d{1,3})\b(?!\.)|\(#[245]\.(\d{1,3}\.\d{1,3})\)/.exec(
      lines[0] ?? "",
    ) ?? [];
  const detail = first ?? last;
  if (detail) return `${digit}.${detail}`;
  return digit === 5 && knowsRecipient(stage) ? deriveDsn(message) : `${digit}.0.0`;
}
