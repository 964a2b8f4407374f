import {
  deriveDsn,
  isRecipientFailure,
  recipientFailureByCode,
} from "#server/core/sending/outbox/recipient-failure.ts";
import type { Failure } from "#worker/delivery/delivery.ts";
import { readThrottle, type Stage } from "#worker/delivery/shaping/read-throttle.ts";
import type { Reply } from "#worker/delivery/smtp/reply.ts";

const MESSAGE_CHARACTERS_MAX = 500;

/** What the meaning of a reply for one recipient depends on. */
export type Circumstances = {
  /** For a reply to RCPT: the server accepted another recipient. */
  isOtherAccepted?: boolean;
  /** For a reply to the content: it is about several recipients. */
  isShared?: boolean;
  /** The name in EHLO, and the address of this end of the connection: a reply that names one is about this machine. */
  ehloName?: string | undefined;
  address?: string | null | undefined;
  /** The reply of a mailbox store, which knows nothing about this machine; Sieve scripts may have written it. */
  isStore?: boolean | undefined;
};

/**
 * What a reply means for one recipient. 4xx is retried. 5xx is permanent, unless it rejects this machine as
 * a whole: blocks get lifted, so it is retried too. So are recipients over the server's limit for one transaction
 * (RFC 5321, 4.5.3.1.10).
 *
 * A permanent failure suppresses the address if the reply is plainly about the recipient, and is to RCPT, or to the
 * content, for this recipient only, and its code says so.
 */
export function classifyReply(
  reply: Reply,
  stage: Stage,
  circumstances: Circumstances = {},
): Failure {
  const message = readMessage(reply);
  if (stage === "content" && reply.code >= 200 && reply.code < 300)
    return { result: "delivered", dsn: readDsn(reply, message, stage), message, suppress: false };
  // A positive reply where none was expected is nonsense, and may be temporary.
  if (reply.code < 400) return { ...DELAYED, dsn: "4.5.0", message };
  const dsn = readDsn(reply, message, stage);
  const rejection = { code: reply.code, dsn, message };
  const { ehloName, address, isStore } = circumstances;
  const throttle = isStore ? null : readThrottle({ ...rejection, stage, ehloName, address });
  if (throttle)
    return {
      ...{ ...DELAYED, dsn: dsn.replace(/^5/, "4"), message, throttle, ...afterRecipient(stage) },
      ...(throttle === "block" && { isBlock: true as const }),
    };
  if (reply.code < 500) return { ...DELAYED, dsn, message };
  return classifyRejection(rejection, stage, circumstances);
}

type Rejection = { code: number; dsn: string; message: string };

function classifyRejection(
  { code, ...reply }: Rejection,
  stage: Stage,
  circumstances: Circumstances,
): Failure {
  if (stage === "rcpt" && circumstances.isOtherAccepted && isRecipientLimit(code, reply.dsn))
    return { ...DELAYED, ...reply, dsn: "4.5.3" };
  return { result: "bounced", ...reply, suppress: isRecipientGone(stage, reply, circumstances) };
}

const afterRecipient = (stage: Stage) =>
  AFTER_RECIPIENT.has(stage) && { isAfterRecipient: true as const };

function isRecipientGone(
  stage: Stage,
  { dsn, message }: { dsn: string; message: string },
  { isShared = false }: Circumstances,
): boolean {
  if (!isRecipientFailure(dsn, message)) return false;
  return stage === "rcpt" || (stage === "content" && !isShared && !!recipientFailureByCode(dsn));
}

/** 552 also means a full mailbox; then `dsn` is 5.2.2, even if only the text says so. */
const isRecipientLimit = (code: number, dsn: string): boolean =>
  dsn === "5.5.3" || (code === 552 && dsn === "5.0.0");

const AFTER_RECIPIENT = new Set<Stage>(["rcpt", "data", "content"]);

const DELAYED = { result: "delayed", suppress: false } as const;

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
