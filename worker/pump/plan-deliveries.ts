import type { Relay } from "#server/config.ts";
import { readOwnAddress } from "#server/core/incoming/own-address.ts";
import { lmtpSocketPath } from "#server/core/mailboxes/lmtp-socket.ts";
import type { ClaimedRecipient } from "#server/core/outbox/claim-due.ts";
import type { Route } from "#worker/delivery/delivery.ts";

/** RFC 5321, 4.5.3.1.8 makes servers take 100 recipients; some take fewer. */
const RECIPIENTS_PER_ENVELOPE_MAX = 50;

/** The route is found at the moment of delivery: Dovecot's socket may have moved by then. */
export type Envelope = { route: () => Route; recipients: ClaimedRecipient[] };

type Here = {
  /** The recipients that have a mailbox here. */
  local: Set<string>;
  relay: Relay | null;
  dataFolder: string;
  hostname: string;
  /** The appliance's own SMTP listener. */
  door: { host: string; port: number };
};

/**
 * Divides the recipients of one message into envelopes of one route each. Mailboxes of this appliance
 * and every address under `.localhost` (RFC 6761, 6.3: never leaves the machine) go to Dovecot, the
 * rest to the smarthost when there is one, else to the mail hosts of their domains. What is for the
 * appliance itself, reports and bounces, is handed in at its own door, which sends nothing in return.
 */
export function planDeliveries(recipients: ClaimedRecipient[], here: Here): Envelope[] {
  const groups = new Map<string, Envelope>();
  for (const claimed of recipients) {
    const { name, route } = routeOf(claimed, here);
    const group = groups.get(name) ?? { route, recipients: [] };
    group.recipients.push(claimed);
    groups.set(name, group);
  }
  return [...groups.values()].flatMap(({ route, recipients: all }) =>
    inChunks(all).map((chunk) => ({ route, recipients: chunk })),
  );
}

function routeOf(
  { recipient, destination }: ClaimedRecipient,
  { local, relay, dataFolder, hostname, door }: Here,
): { name: string; route: () => Route } {
  if (destination === hostname && readOwnAddress(recipient, hostname))
    return {
      name: "door",
      route: () => ({ kind: "relay", relay: { ...door, implicitTls: false, auth: null } }),
    };
  if (local.has(recipient) || isLocalhost(destination))
    return {
      name: "lmtp",
      route: () => ({ kind: "lmtp", socketPath: lmtpSocketPath(dataFolder) }),
    };
  if (relay) return { name: "relay", route: () => ({ kind: "relay", relay }) };
  return { name: `mx:${destination}`, route: () => ({ kind: "mx", domain: destination }) };
}

const isLocalhost = (domain: string) => domain === "localhost" || domain.endsWith(".localhost");

function inChunks<Item>(items: Item[]): Item[][] {
  const chunks = Math.ceil(items.length / RECIPIENTS_PER_ENVELOPE_MAX);
  return Array.from({ length: chunks }, (_, at) =>
    items.slice(at * RECIPIENTS_PER_ENVELOPE_MAX, (at + 1) * RECIPIENTS_PER_ENVELOPE_MAX),
  );
}
