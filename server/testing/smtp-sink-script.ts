/** A moment in a session at which the sink may be told to behave differently. */
type SinkStep = {
  /** CONNECT before the greeting, DOT after the message's end; else the command. */
  verb: string;
  /** The address of MAIL and RCPT; at DOT in LMTP the recipient that is answered, in SMTP the first one. */
  address: string;
  recipients: string[];
  /** Counts from 1 in the order of connecting. */
  session: number;
  secure: boolean;
  /** Whether the client has sent more behind this. */
  hasMore: boolean;
};

export type SinkAction = {
  /** Said instead of the usual reply. A 4xx or 5xx also keeps the command from having effect. */
  reply?: string;
  delayMs?: number;
  /** Ends the connection without a reply: before the command had its effect, or after it. */
  drop?: "before" | "after";
};

export type SinkScript = (step: SinkStep) => SinkAction | undefined;

const TEXTS: Record<string, string> = {
  bounce: "550 5.1.1 No such user here",
  defer: "451 4.2.0 Try again later",
  full: "552 5.2.2 Mailbox full",
};

const AFTER_MESSAGE: Record<string, SinkAction> = {
  slow: { delayMs: 300 },
  drop: { drop: "before" },
  "drop-stored": { drop: "after" },
};

/**
 * Behaviour by the local part of the address, so that a test says it where it names the recipient:
 * `bounce@`, `defer@`, `full@` at RCPT; `mail-451@`, `rcpt-550@`, `dot-554@` answer that code at that
 * step; `slow@` answers the message after 300 ms; `drop@` ends the connection instead of answering it,
 * `drop-stored@` does so having stored it.
 */
export const actByLocalPart: SinkScript = ({ verb, address }) => {
  const local = address.replace(/[+@].*/, "");
  if (verb === "RCPT" && TEXTS[local]) return { reply: TEXTS[local] };
  const [, step, code] = /^(mail|rcpt|dot)-([245]\d\d)$/.exec(local) ?? [];
  if (code && step?.toUpperCase() === verb)
    return { reply: `${code} ${code[0]!}.0.0 As the address ${local} asks` };
  return verb === "DOT" ? AFTER_MESSAGE[local] : undefined;
};
