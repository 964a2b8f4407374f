import { findCauseByExactCode, findCauseByVagueCode } from "./internal/find-cause-by-code.ts";
import { findCauseByClearText, findCauseByLikelyText } from "./internal/find-cause-by-text.ts";
import { type Cause, CAUSES } from "./causes.ts";

export type Explanation = {
  /** What happened, as a sentence. */
  why: string;
  /** What to do about it, as a sentence; null if nothing helps or no action is needed. */
  advice: string | null;
};

type Reply = {
  /** Enhanced status code (RFC 3463). */
  dsn: string;
  /** The server's reply, beginning with its code; our own error if no server replied. */
  message: string;
  /** The recipient's domain. */
  domain: string;
  /** Delivery is retried, so no action is needed yet. */
  isDelayed: boolean;
};

/** Explains in plain words why a message was rejected and what to do about it. */
export function explainReply(reply: Reply): Explanation {
  if (isLocalFailure(reply)) return explainLocalFailure(reply.message);
  const { why, advice } = CAUSES[findCause(reply)];
  return { why: why(reply.domain), advice: reply.isDelayed ? null : advice };
}

/** Clear text wins over exact codes, exact codes over likely text, likely text over vague codes. */
export function findCause({ dsn, message }: Pick<Reply, "dsn" | "message">): Cause {
  return (
    findCauseByClearText(message) ??
    findCauseByExactCode(dsn) ??
    findCauseByLikelyText(message) ??
    findCauseByVagueCode(dsn)
  );
}

/** Delivery failed before any server was contacted: our own error has no reply code. */
const isLocalFailure = ({ dsn, message }: Reply): boolean =>
  dsn === "4.3.0" && message !== "" && !/^\d{3}\b/.test(message);

function explainLocalFailure(message: string): Explanation {
  if (message.startsWith("Warm-up: ")) return { why: `${message}.`, advice: null };
  return {
    why: `This server could not send the message yet: ${message.replace(/\.$/, "")}.`,
    advice: "If this continues, contact your Posthouse operator.",
  };
}
