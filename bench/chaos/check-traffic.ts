import {
  type Copy,
  EMAIL_KINDS,
  type Handed,
  type Kill,
  type Kind,
  KINDS,
  type Post,
  type Traffic,
} from "./traffic.ts";

/** Counts of recipients unless stated otherwise. */
type KindSums = {
  /** Recipients of messages that got a 2xx or 250 reply. */
  accepted: number;
  delivered: number;
  lost: number;
  /** Delivered, but the client never got a reply. */
  unanswered: number;
  /** Copies beyond the first. */
  duplicates: number;
};

type KillSums = Kill & {
  /** Recipients whose message was submitted before the kill and arrived (or arrived again) after it. */
  inFlight: number;
  /** Extra copies for which this was the first kill after the previous copy. */
  duplicates: number;
};

export type Verdict = {
  kinds: Record<Kind, KindSums>;
  webhooks: Omit<KindSums, "unanswered">;
  kills: KillSums[];
  /** Recipients of the API's emails that got at least one copy. */
  emailsDelivered: number;
  /** One line per violation. */
  faults: string[];
};

/** Compares what was accepted with what arrived. */
export function checkTraffic({ handed, copies, posts, kills, others }: Traffic): Verdict {
  const verdict: Verdict = {
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, noSums()])) as Verdict["kinds"],
    webhooks: { accepted: 0, delivered: 0, lost: 0, duplicates: 0 },
    kills: kills.map((kill) => ({ ...kill, inFlight: 0, duplicates: 0 })),
    emailsDelivered: 0,
    faults: [],
  };
  const { faults } = verdict;
  const arrived = Map.groupBy(copies, ({ token, address }) => keyOf(token, address));
  for (const message of handed) {
    if (message.refusal) faults.push(`${message.token} got a permanent error: ${message.refusal}`);
    for (const address of message.recipients) {
      const key = keyOf(message.token, address);
      checkRecipient(verdict, key, message, arrived.get(key) ?? []);
      arrived.delete(key);
    }
  }
  for (const key of arrived.keys()) faults.push(`${key} arrived at the wrong address`);
  for (const other of others) faults.push(`Unexpected mail for ${other}`);
  checkWebhooks(verdict, { handed, posts });
  return verdict;
}

function checkRecipient(verdict: Verdict, key: string, message: Handed, got: Copy[]): void {
  const { kinds, kills, faults } = verdict;
  const { kind, acceptedAt } = message;
  if (got.length > 0 && EMAIL_KINDS.includes(kind)) verdict.emailsDelivered++;
  count(kinds[kind], message, got.length);
  if (acceptedAt !== null && got.length === 0)
    faults.push(`${key} was accepted at ${isoOf(acceptedAt)} and is lost`);
  faults.push(...findCopyFaults(key, message, got, kills));
}

const keyOf = (token: string, address: string) => `${token} to ${address}`;
const isoOf = (at: number) => new Date(at).toISOString();
const noSums = (): KindSums => ({
  accepted: 0,
  delivered: 0,
  lost: 0,
  unanswered: 0,
  duplicates: 0,
});

function count(sums: KindSums, { acceptedAt }: Handed, copies: number): void {
  if (acceptedAt === null) sums.unanswered += copies > 0 ? 1 : 0;
  else {
    sums.accepted++;
    sums[copies > 0 ? "delivered" : "lost"]++;
  }
  sums.duplicates += Math.max(0, copies - 1);
}

/** Allows one extra copy per kill while the message was in flight. */
function findCopyFaults(key: string, message: Handed, got: Copy[], kills: KillSums[]): string[] {
  const times = got.map(({ at }) => at).sort((a, b) => a - b);
  const last = times.at(-1);
  if (last === undefined) return [];
  const during = kills.filter(({ at }) => message.startedAt <= at && at <= last);
  for (const kill of during) kill.inFlight++;
  for (const previous of times.slice(0, -1)) {
    const cause = during.find(({ at }) => at >= previous) ?? during.at(-1);
    if (cause) cause.duplicates++;
  }
  const faults = [];
  if (got.length - 1 > during.length)
    faults.push(
      `${key} arrived ${got.length} times over ${during.length} kills: ${times.map(isoOf).join(", ")}`,
    );
  const ids = new Set(got.map(({ messageId }) => messageId));
  if (ids.size > 1) faults.push(`${key} arrived under several Message-IDs: ${[...ids].join(" ")}`);
  return faults;
}

/** Every accepted email must have `email.sent` once and `email.delivered` for each recipient. */
function checkWebhooks(
  { webhooks, faults }: Verdict,
  { handed, posts }: Pick<Traffic, "handed" | "posts">,
): void {
  const byEvent = Map.groupBy(posts, eventOf);
  for (const event of handed.flatMap(eventsDue)) {
    webhooks.accepted++;
    webhooks[byEvent.has(event) ? "delivered" : "lost"]++;
    if (!byEvent.has(event)) faults.push(`No webhook request for ${event}`);
  }
  for (const [event, all] of byEvent) {
    webhooks.duplicates += all.length - 1;
    const ids = new Set(all.map(({ id }) => id));
    const { type } = all[0]!;
    if (ids.size > 1 && (type === "email.sent" || type === "email.delivered"))
      faults.push(`${event} was recorded ${ids.size} times: ${[...ids].join(" ")}`);
  }
}

function eventsDue({ token, kind, recipients, acceptedAt }: Handed): string[] {
  if (acceptedAt === null || !EMAIL_KINDS.includes(kind)) return [];
  const delivered = recipients.map((to) => eventOf({ type: "email.delivered", token, to }));
  return [eventOf({ type: "email.sent", token, to: "" }), ...delivered];
}

function eventOf({ type, token, to }: Pick<Post, "type" | "token" | "to">): string {
  return type === "email.delivered" ? `${type} of ${keyOf(token, to)}` : `${type} of ${token}`;
}
