/** How long to wait for the other server, step by step. */
export type Timeouts = {
  connectMs: number;
  tlsMs: number;
  greetingMs: number;
  /** Also for STARTTLS, AUTH and RSET. */
  commandMs: number;
  mailMs: number;
  rcptMs: number;
  dataMs: number;
  /** For the other side to take one block of the message. */
  blockMs: number;
  /** For the reply to the whole message: too short a wait makes duplicates. */
  acceptMs: number;
  /** How long a connection with nothing to carry is kept. */
  idleMs: number;
};

/** RFC 5321 §4.5.3.2, but for the connection: a host that does not answer in 30 s is down. */
export const TIMEOUTS: Timeouts = {
  connectMs: 30_000,
  tlsMs: 60_000,
  greetingMs: 300_000,
  commandMs: 300_000,
  mailMs: 300_000,
  rcptMs: 300_000,
  dataMs: 120_000,
  blockMs: 180_000,
  acceptMs: 600_000,
  idleMs: 3_000,
};
