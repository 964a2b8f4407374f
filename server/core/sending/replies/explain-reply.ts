import { causeOfExactCode, causeOfVagueCode } from "./internal/cause-of-code.ts";
import { causeOfClearText, causeOfLikelyText } from "./internal/cause-of-text.ts";
import { type Cause, CAUSES } from "./causes.ts";

/** A reply in words of everyday. */
export type Explanation = {
  /** What happened, as a sentence. */
  why: string;
  /** What to do about it, as a sentence; null where nothing helps or nothing has to be done. */
  advice: string | null;
};

type Reply = {
  /** Enhanced status code (RFC 3463). */
  dsn: string;
  /** The server's own words, beginning with its reply code; ours, where no server spoke. */
  message: string;
  /** The recipient's domain. */
  domain: string;
  /** It is tried again: nothing has to be done yet. */
  isDelayed: boolean;
};

/** Says in plain words why a message was not taken, and what to do about it. */
export function explainReply(reply: Reply): Explanation {
  if (isLocalFailure(reply)) return explainLocalFailure(reply.message);
  const { why, advice } = CAUSES[findCause(reply)];
  return { why: why(reply.domain), advice: reply.isDelayed ? null : advice };
}

/** What a reply comes down to: clear words before exact codes, those before hints, a bare guess last. */
export function findCause({ dsn, message }: Pick<Reply, "dsn" | "message">): Cause {
  return (
    causeOfClearText(message) ??
    causeOfExactCode(dsn) ??
    causeOfLikelyText(message) ??
    causeOfVagueCode(dsn)
  );
}

/** Before any server was asked: the words are this server's, and no reply code stands in front. */
const isLocalFailure = ({ dsn, message }: Reply): boolean =>
  dsn === "4.3.0" && message !== "" && !/^\d{3}\b/.test(message);

function explainLocalFailure(message: string): Explanation {
  return {
    why: `This server could not send it yet: ${message.replace(/\.$/, "")}.`,
    advice: "Tell whoever runs this Posthouse if it stays so.",
  };
}
