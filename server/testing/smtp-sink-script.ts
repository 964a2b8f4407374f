/** A step of a session at which a script can change the sink's behavior. */
type SinkStep = {
  /** CONNECT before the greeting, DOT after the message's end; else the command. */
  verb: string;
  /** The address of MAIL and RCPT; at DOT in LMTP the recipient of the reply, in SMTP the first one. */
  address: string;
  recipients: string[];
  /** Counts from 1 in the order of connections. */
  session: number;
  secure: boolean;
  /** Whether the client has pipelined more commands. */
  hasMore: boolean;
};

export type SinkAction = {
  /** Replaces the usual reply. A 4xx or 5xx also cancels the command. */
  reply?: string;
  delayMs?: number;
  /** Closes the connection without a reply, before or after the command takes effect. */
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
 * Behavior by the local part of the address, so that a test shows it in the recipient: `bounce@`, `defer@`,
 * `full@` at RCPT; `mail-451@`, `rcpt-550@`, `dot-554@` reply with that code at that step; `slow@` replies
 * to the message after 300 ms; `drop@` closes the connection instead of replying, `drop-stored@` after
 * storing the message.
 */
export const actByLocalPart: SinkScript = ({ verb, address }) => {
  const local = address.replace(/[+@].*/, "");
  if (verb === "RCPT" && TEXTS[local]) return { reply: TEXTS[local] };
  const [, step, code] = /^(mail|rcpt|dot)-([245]\d\d)$/.exec(local) ?? [];
  if (code && step?.toUpperCase() === verb)
    return { reply: `${code} ${code[0]!}.0.0 As the address ${local} asks` };
  return verb === "DOT" ? AFTER_MESSAGE[local] : undefined;
};
