/** Timeouts of each step of a session. */
export type Timeouts = {
  connectMs: number;
  tlsMs: number;
  greetingMs: number;
  /** Also for STARTTLS, AUTH and RSET. */
  commandMs: number;
  mailMs: number;
  rcptMs: number;
  dataMs: number;
  /** For the other side to accept one block of the message. */
  blockMs: number;
  /** From MAIL until the message is sent, whatever the steps may take. */
  transactionMs: number;
  /** For the reply to the whole message: if it is too short, messages are delivered twice. */
  acceptMs: number;
  /** How long an idle connection is kept. */
  idleMs: number;
};

/** RFC 5321 §4.5.3.2, except for connecting: a host that doesn't answer in 30 s is down. */
export const TIMEOUTS: Timeouts = {
  connectMs: 30_000,
  tlsMs: 60_000,
  greetingMs: 300_000,
  commandMs: 300_000,
  mailMs: 300_000,
  rcptMs: 300_000,
  dataMs: 120_000,
  blockMs: 180_000,
  transactionMs: 900_000,
  acceptMs: 600_000,
  idleMs: 3_000,
};
