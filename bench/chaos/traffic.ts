import type { Target } from "./kept-appliance.ts";

/** How mail comes in. */
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

/** A message that a client tried to hand in. Moments are `Date.now()`. */
export type Handed = {
  token: string;
  kind: Kind;
  /** Everyone who must get a copy, groups and forwards expanded. */
  recipients: string[];
  startedAt: number;
  /** When the client got its 2xx or 250; null if it never did. */
  acceptedAt: number | null;
  /** A permanent error, which no valid message should get. */
  refusal: string | null;
};

/** A message that a receiving server or a mailbox holds. */
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
  /** Emails whose `email.delivered` is still to come, by token: how far the appliance is behind. */
  awaited: Set<string>;
  /** Mail that is not the load's: reports, notices. */
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

/** The token in a subject of ours, or null. */
export const tokenIn = (subject: string) => /^Chaos ([a-z]+-\d+)$/.exec(subject)?.[1] ?? null;

/** Adds a copy, or what it is if it is not the load's. */
export function noteCopy(
  { copies, others }: Traffic,
  subject: string,
  copy: Omit<Copy, "token">,
): void {
  const token = tokenIn(subject);
  if (token) copies.push({ ...copy, token });
  else others.push(`${copy.address}: ${subject}`);
}
