import type { Target } from "./supervised-appliance.ts";

/** How mail enters. */
export const KINDS = [
  "api",
  "batch",
  "scheduled",
  "key",
  "submission",
  "inbound",
  "group",
  "forward",
] as const;
export type Kind = (typeof KINDS)[number];

/** Sent through the API, or over SMTP with an API key: emails, which webhooks report on. */
export const EMAIL_KINDS: readonly Kind[] = ["api", "batch", "scheduled", "key"];

/** A message that a client tried to submit. Times are `Date.now()`. */
export type Handed = {
  token: string;
  kind: Kind;
  /** Where it is sent to, before groups and forwards are expanded. */
  to: string[];
  /** Everyone who must get a copy, groups and forwards expanded. */
  recipients: string[];
  startedAt: number;
  /** When the client got its 2xx or 250; null if it never did. */
  acceptedAt: number | null;
  /** A permanent error; a valid message should never get one. */
  refusal: string | null;
};

/** A message in a mailbox or at the receiving server. */
export type Copy = { token: string; address: string; messageId: string; at: number };

/** A webhook request. */
export type Post = { id: string; type: string; token: string; to: string; at: number };

export type Kill = { target: Target; at: number };

/** Everything that went in and came out, as seen from outside the appliance. */
export type Traffic = {
  handed: Handed[];
  copies: Copy[];
  posts: Post[];
  kills: Kill[];
  /** Tokens of emails without `email.delivered` yet: how far behind the appliance is. */
  awaited: Set<string>;
  /** Mail that the load didn't send: reports, notices. */
  others: string[];
};

export const newTraffic = (): Traffic => ({
  handed: [],
  copies: [],
  posts: [],
  kills: [],
  awaited: new Set(),
  others: [],
});

export const subjectOf = ({ token }: Handed) => `Chaos ${token}`;

/** The token in the subject of a load message, or null. */
export const tokenIn = (subject: string) => /^Chaos ([a-z]+-\d+)$/.exec(subject)?.[1] ?? null;

/** Records a copy, or its subject if the load didn't send it. */
export function recordCopy(
  { copies, others }: Traffic,
  subject: string,
  copy: Omit<Copy, "token">,
): void {
  const token = tokenIn(subject);
  if (token) copies.push({ ...copy, token });
  else others.push(`${copy.address}: ${subject}`);
}
