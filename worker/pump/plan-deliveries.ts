import type { MessageOrigin } from "#drizzle/schema/index.ts";
import type { Relay } from "#server/config.ts";
import { parseSystemAddress } from "#server/core/mail/incoming/recipients.ts";
import { lmtpPlace } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import {
  isForCatchAll,
  isRoleAddress,
  type Recipient,
  resolveRecipients,
} from "#server/core/mailboxes/mailboxes/recipients.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/email-leases.ts";
import type { Carrier, Route } from "#worker/delivery/delivery.ts";
import { findHostedDomains } from "#server/core/sending/messages/messages.ts";
import type { Db } from "#server/db/client.ts";
import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";

import { type DeliveryKind, type MailQueue, type Queued, signingName } from "./source.ts";

/** RFC 5321, 4.5.3.1.8 requires servers to accept 100 recipients; some accept fewer. */
const RECIPIENTS_PER_ENVELOPE_MAX = 50;

/**
 * How a recipient is reached. The route is resolved at delivery time, since Dovecot's socket may have
 * moved.
 */
export type DeliveryMethod =
  | { kind: "carried"; route: () => Route; isHere: boolean }
  | { kind: "group"; group: string }
  /** Inbound addresses of a company. */
  | { kind: "inbound"; companyId: string }
  /** The owners of the company, or of the appliance if null. */
  | { kind: "owners"; companyId: string | null }
  /** No such address at a domain hosted here: bounces. */
  | { kind: "unknown" };

export type Envelope = { way: DeliveryMethod; recipients: LeasedRecipient[] };

/** When an admin last asked to retry one of its recipients now, in epoch milliseconds. */
export function latestRetryRequest({ recipients }: Envelope): number | undefined {
  let latest: number | undefined;
  for (const { retryAskedAt } of recipients)
    if (retryAskedAt) latest = Math.max(latest ?? 0, Date.parse(retryAskedAt));
  return latest;
}

export type LocalAddresses = {
  /** The local owners of addresses, by the address as given. */
  resolved: ReadonlyMap<string, Recipient>;
  /** The domains whose MX points to this appliance, with their companies. */
  hosted: ReadonlyMap<string, string>;
};

type PlanContext = LocalAddresses & {
  /** The company that sends the message. */
  companyId: string;
  /** A test email. */
  isTest: boolean;
  /** Null for an email of the API. */
  origin: MessageOrigin | null;
  relay: Relay | null;
  dataFolder: string;
  hostname: string;
  /** The appliance's own SMTP listener. */
  ownListener: () => { host: string; port: number };
};

/**
 * Groups the recipients of one message into envelopes that share a route:
 *
 * - those of a test email go nowhere, not even to mailboxes here;
 * - reports and bounces addressed to the appliance, at whatever domain, go to its own SMTP listener, which never
 *   replies;
 * - local mailboxes, and every address under `.localhost` (RFC 6761, 6.3: never leaves the machine), go to
 * Dovecot; groups to their members; inbound addresses to what the API reads; `postmaster@` and `abuse@` to the owners;
 * - other addresses at domains hosted here are unknown;
 * - everything else goes to the smarthost if there is one, else to the mail servers of its domain.
 */
export function planDeliveries(recipients: LeasedRecipient[], here: PlanContext): Envelope[] {
  const envelopes = new Map<string, Envelope>();
  for (const leased of recipients) {
    const { name, way } = here.isTest ? SIMULATED : planRecipient(leased, here);
    const envelope = envelopes.get(name) ?? { way, recipients: [] };
    envelope.recipients.push(leased);
    envelopes.set(name, envelope);
  }
  return [...envelopes.values()].flatMap(({ way, recipients: all }) =>
    splitIntoChunks(groupByCopy({ way, recipients: all }, here.resolved)).map((chunk) => ({
      way,
      recipients: chunk.flat(),
    })),
  );
}

/** Groups the recipients that share a copy: a mailbox gets one, even if several of its addresses are recipients. */
export function groupByCopy(
  { way, recipients }: Envelope,
  resolved: LocalAddresses["resolved"],
): LeasedRecipient[][] {
  const isHere = way.kind === "carried" && way.isHere;
  const copies = Map.groupBy(recipients, ({ recipient, rowId }) => {
    const owner = isHere ? resolved.get(recipient) : undefined;
    return owner?.kind === "mailbox" ? owner.mailbox : rowId;
  });
  return [...copies.values()];
}

type Named = { name: string; way: DeliveryMethod };

function planRecipient(leased: LeasedRecipient, here: PlanContext): Named {
  const { recipient, destination } = leased;
  const { ownListener, relay } = here;
  if (isOwnAddress(leased, here))
    return carried("ownListener", () => ({ kind: "relay", relay: { ...ownListener(), ...PLAIN } }));
  const known = findLocalOwner(leased, here);
  if (known?.kind === "group")
    return { name: `group:${recipient}`, way: { kind: "group", group: known.group } };
  if (known?.kind === "inbound") {
    const { companyId } = known;
    return { name: `inbound:${companyId}`, way: { kind: "inbound", companyId } };
  }
  if (known || isLocalhost(destination)) return planStored(known, here);
  const hosted = planHosted(leased, here);
  if (hosted) return hosted;
  if (relay) return carried("relay", () => ({ kind: "relay", relay }));
  return carried(`mx:${destination}`, () => ({ kind: "mx", domain: destination }));
}

/** Envelope senders of this instance can be at any domain. */
const isOwnAddress = ({ recipient, destination }: LeasedRecipient, { hostname }: PlanContext) =>
  destination === hostname
    ? parseSystemAddress(recipient, hostname) !== null
    : parseEnvelopeSender(recipient) !== null;

function planStored(known: { storeHost: string | null } | null, here: PlanContext): Named {
  const { dataFolder } = here;
  const storeHost = known?.storeHost ?? null;
  const route = (): Route => ({ kind: "lmtp", at: lmtpPlace(dataFolder, storeHost) });
  return carried(storeHost === null ? "lmtp" : `lmtp:${storeHost}`, route, true);
}

/**
 * Finds the local owner of an address. A company's mail to itself stays local even while its domain is
 * being moved; mail from another company follows the MX, which may point to a new owner of the domain. So does mail to
 * addresses covered only by a catch-all, because they may exist where the MX points, unless the mail came from there.
 */
function findLocalOwner(
  { recipient, destination }: LeasedRecipient,
  here: PlanContext,
): Recipient | null {
  const known = here.resolved.get(recipient);
  if (!known || isLocalhost(destination)) return known ?? null;
  if (here.hosted.get(destination) === known.companyId) return known;
  if (known.companyId !== here.companyId) return null;
  return isForCatchAll(known) && here.origin !== "incoming" ? null : known;
}

/** An address at a domain hosted here, or at the appliance's own hostname. */
function planHosted({ recipient, destination }: LeasedRecipient, here: PlanContext): Named | null {
  const companyId = here.hosted.get(destination) ?? null;
  if (companyId === null && destination !== here.hostname) return null;
  if (!isRoleAddress(recipient.toLowerCase())) return { name: "unknown", way: { kind: "unknown" } };
  return { name: `owners:${recipient}`, way: { kind: "owners", companyId } };
}

const SIMULATED = carried("simulated", () => ({ kind: "simulated" }));

const PLAIN = { implicitTls: false, auth: null };

function carried(name: string, route: () => Route, isHere = false): Named {
  return { name, way: { kind: "carried", route, isHere } };
}

const isLocalhost = (domain: string) => domain === "localhost" || domain.endsWith(".localhost");

function splitIntoChunks<Item>(items: Item[]): Item[][] {
  const chunks = Math.ceil(items.length / RECIPIENTS_PER_ENVELOPE_MAX);
  return Array.from({ length: chunks }, (_, at) =>
    items.slice(at * RECIPIENTS_PER_ENVELOPE_MAX, (at + 1) * RECIPIENTS_PER_ENVELOPE_MAX),
  );
}

/** Looks up which of the recipients, and which of their domains, this appliance hosts. */
export async function findLocalAddresses(
  db: Db,
  recipients: LeasedRecipient[],
): Promise<LocalAddresses> {
  const addresses = recipients.map(({ recipient }) => recipient);
  const names = recipients.map(({ destination }) => destination);
  const [resolved, hosted] = await Promise.all([
    resolveRecipients(db, addresses),
    findHostedDomains(db, names),
  ]);
  return { resolved, hosted };
}

type Means<Item extends Queued, Result extends { rowId: string }> = {
  carrier: Carrier;
  source: MailQueue<Item, Result>;
  /** The domain that signs the message. */
  signer: SigningDomain | Error | undefined;
};

/**
 * Separates envelopes whose destination is suspended or slowed down, before their message is composed.
 *
 * @returns the other envelopes, the message with their recipients, and results for the rest
 */
export function separatePostponed<Item extends Queued, Result extends { rowId: string }>(
  item: Item,
  planned: Envelope[],
  { carrier, source, signer }: Means<Item, Result>,
): { envelopes: Envelope[]; item: Item; results: Result[] } {
  const results: Result[] = [];
  const envelopes = planned.filter((envelope) => {
    const { way, recipients } = envelope;
    const isElsewhere = way.kind === "carried" && !way.isHere;
    const retryAskedAt = latestRetryRequest(envelope);
    const sender = { companyId: item.companyId, domain: signingName(signer), retryAskedAt };
    const failure = isElsewhere ? carrier.postpone?.(way.route(), sender) : null;
    if (!failure) return true;
    const outcomes = recipients.map(({ recipient }) => ({ recipient, ...failure }));
    results.push(...source.toResults({ ...item, recipients }, outcomes, deliveryKind(way)));
    return false;
  });
  if (envelopes.length === planned.length) return { envelopes, item, results };
  const recipients = envelopes.flatMap((envelope) => envelope.recipients);
  return { envelopes, item: { ...item, recipients }, results };
}

export function deliveryKind(way: DeliveryMethod): DeliveryKind {
  if (way.kind === "inbound") return "delivered";
  if (way.kind === "carried") return way.isHere ? "delivered" : "relayed";
  return "expanded";
}
