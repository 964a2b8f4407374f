import { and, eq, inArray, not, sql } from "drizzle-orm";

import { addresses, aliases, domains, groups, mailboxes } from "#drizzle/schema/index.ts";
import { canReadEmails, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import {
  checkIncomingRecipient,
  type IncomingRecipient,
} from "#server/core/mail/incoming/recipients.ts";
import { checkReceivingLimits } from "#server/core/mail/received/receiving-limits.ts";
import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import {
  findStoppedForwards,
  getRules,
} from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import {
  addressVariants,
  isRoleAddress,
  type Recipient,
  recipientVariants,
} from "#server/core/mailboxes/mailboxes/recipients.ts";
import { findHostedDomains } from "#server/core/sending/messages/messages.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import { filterSuppressed } from "#server/core/sending/suppressions/suppressed.ts";
import { addressDomain, parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { findReservedAddress } from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { listMembers, resolveMembers } from "./internal/expand-members.ts";

type StopNote =
  | ("suspended" | "full" | "keeps_no_copy" | "automatic_reply")
  | ("forwarding_suspended" | "forwarding_forbidden" | "forwarding_unconfirmed")
  | ("moderated" | "restricted" | "no_members" | "repeated" | "inactive" | "deleted");

/** A place that mail to an address passes through, arrives at, or fails at. */
type RouteStop = {
  /** What the mail is addressed to. */
  address: string;
  /** The address of the mailbox or group that receives it; otherwise the same. */
  target: string;
  kind: "mailbox" | "group" | "inbound" | "owners" | "server" | "unknown" | "outside";
  /** How the address leads to the target; null if they are the same. */
  via: "alias" | "tag" | "catch_all" | null;
  notes: StopNote[];
  /** Members or forwarding addresses that aren't listed: too many, or not for this admin. */
  more: number;
};

/** A stop with those that mail goes to from there: members or forwarding addresses. */
type Branch = RouteStop & { next: Branch[] };

export type AddressRoute = {
  /** What the SMTP server answers to RCPT TO; null if it accepts, or if the domain isn't the company's. */
  reply: string | null;
  /** Whether mail servers find the domain here; null for domains of others. */
  isHosted: boolean | null;
  /** Emails through the API aren't sent to it. */
  isSuppressed: boolean;
  /** The first is for the address itself. Each is followed by those after it, one level deeper. */
  stops: (RouteStop & { depth: number })[];
};

/** Stops per route, so that nested groups stay readable. */
const STOPS_MAX = 100;

type Search = { ctx: Context; seesGroups: boolean; seen: Set<string>; left: number };

/**
 * Follows the path that mail to an address would take, as the SMTP server and the worker decide it, without sending any. At
 * domains of others, it ends with their mail server.
 *
 * @throws Refusal `invalid` if it isn't an address
 */
export async function findRoute(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { text, hostname }: { text: string; hostname: string },
): Promise<AddressRoute> {
  const address = parseAddress(text.trim())?.address;
  if (address === undefined) throw new Refusal("invalid", "address: must be a valid email address");
  const { privileges } = callerPrivileges;
  const search: Search = {
    ctx,
    seesGroups: privileges.has("view_groups"),
    seen: new Set(),
    left: STOPS_MAX,
  };
  const isSuppressed =
    canReadEmails(callerPrivileges) && (await filterSuppressed(ctx, [address])).has(address);
  const name = addressDomain(address);
  const server = { db: ctx.db, domains: new OwnedDomains(ctx.db), hostname };
  const owner = await server.domains.companyOf(name);
  const isOwn = owner === ctx.companyId || (owner === null && (await hasDomain(ctx, name)));
  if (!isOwn)
    return {
      reply: null,
      isHosted: null,
      isSuppressed,
      stops: flatten(stopAt(address, "outside")),
    };
  const { recipient, error } = await checkIncomingRecipient(
    { ...server, acceptanceBlocker: () => acceptanceBlocker(ctx.db) },
    address,
  );
  const isInbound = recipient.kind === "inbound";
  const problem = error ?? (isInbound ? (await checkReceivingLimits(ctx)).error : null);
  const hosted = await findHostedDomains(ctx.db, [name]);
  return {
    reply: problem && `${problem.enhancedCode} ${problem.text}`,
    isHosted: hosted.get(name) === ctx.companyId,
    isSuppressed,
    stops: flatten(await followRecipient(search, address, recipient)),
  };
}

const flatten = ({ next, ...stop }: Branch, depth = 0): AddressRoute["stops"] => [
  { ...stop, depth },
  ...next.flatMap((one) => flatten(one, depth + 1)),
];

const hasDomain = async ({ db, companyId }: Context, name: string) =>
  (await db.$count(domains, and(eq(domains.companyId, companyId), eq(domains.name, name)))) > 0;

const stopAt = (address: string, kind: RouteStop["kind"]): Branch => ({
  address,
  target: address,
  kind,
  via: null,
  notes: [],
  next: [],
  more: 0,
});

function followRecipient(
  search: Search,
  address: string,
  recipient: IncomingRecipient,
): Promise<Branch> | Branch {
  switch (recipient.kind) {
    case "mailbox":
      return followMailbox(search, address, recipient);
    case "group":
      return followGroup(search, address, recipient.group);
    case "inbound":
    case "owners":
      return stopAt(address, recipient.kind);
    case "own":
      return stopAt(address, "server");
    default:
      return explainUnknown(search.ctx, address);
  }
}

/** Follows mail that is sent on to other addresses. */
async function followAll(
  search: Search,
  written: string[],
): Promise<Pick<Branch, "next" | "more">> {
  const given = written.map((one) => one.toLowerCase());
  const shown = given.slice(0, Math.max(0, search.left));
  search.left -= shown.length;
  const resolved = await resolveMembers(search.ctx, shown);
  const next: Branch[] = [];
  for (const address of shown) next.push(await followOne(search, address, resolved.get(address)));
  return { next, more: given.length - shown.length };
}

async function followOne(
  search: Search,
  address: string,
  found: Recipient | undefined,
): Promise<Branch> {
  const { ctx } = search;
  if (found && found.companyId !== ctx.companyId) return stopAt(address, "outside");
  if (found?.kind === "mailbox") return followMailbox(search, address, found);
  if (found?.kind === "group") return followGroup(search, address, found.group);
  if (found) return stopAt(address, "inbound");
  const name = addressDomain(address);
  const hosted = await findHostedDomains(ctx.db, [name]);
  if (hosted.get(name) !== ctx.companyId) return stopAt(address, "outside");
  if (isRoleAddress(address)) return stopAt(address, "owners");
  return explainUnknown(ctx, address);
}

function viaOf(
  address: string,
  { mailbox, isCatchAll }: { mailbox: string; isCatchAll: boolean },
): RouteStop["via"] {
  if (isCatchAll) return "catch_all";
  if (address === mailbox) return null;
  return addressVariants(address).includes(mailbox) ? "tag" : "alias";
}

async function followMailbox(
  search: Search,
  address: string,
  {
    mailbox,
    roomBytes,
    isCatchAll,
  }: Pick<Extract<Recipient, { kind: "mailbox" }>, "mailbox" | "roomBytes" | "isCatchAll">,
): Promise<Branch> {
  const { ctx } = search;
  const via = viaOf(address, { mailbox, isCatchAll });
  const stop = { ...stopAt(address, "mailbox"), target: mailbox, via };
  if (search.seen.has(mailbox)) return { ...stop, notes: ["repeated"] };
  search.seen.add(mailbox);
  const [rules, [row]] = await Promise.all([
    getRules(ctx, mailbox),
    ctx.db
      .select({ suspendedAt: mailboxes.suspendedAt })
      .from(mailboxes)
      .where(eq(mailboxes.address, mailbox)),
  ]);
  const notes: [StopNote, boolean][] = [
    ["suspended", row?.suspendedAt !== null],
    ["full", roomBytes <= 0],
    ["keeps_no_copy", rules.forwardTo.length > 0 && !rules.keepCopy],
    ["automatic_reply", rules.vacation?.isOn ?? false],
  ];
  stop.notes = notes.flatMap(([note, applies]) => (applies ? [note] : []));
  const { next, more } = await followAll(search, rules.forwardTo);
  if (next.length > 0) await markStoppedForwards(ctx, mailbox, next);
  return { ...stop, next, more };
}

/** Marks the forwarding addresses to which mail isn't forwarded now. */
async function markStoppedForwards(ctx: Context, mailbox: string, forwards: Branch[]) {
  const targets = forwards.map(({ address }) => address);
  const stopped = await findStoppedForwards(ctx, mailbox, targets);
  for (const { address, notes } of forwards) {
    const reason = stopped.get(address);
    if (reason) notes.push(`forwarding_${reason}`);
  }
}

async function followGroup(search: Search, address: string, target: string): Promise<Branch> {
  const { ctx, seesGroups, seen } = search;
  const stop: Branch = {
    ...stopAt(address, "group"),
    target,
    via: address === target ? null : "tag",
  };
  if (seen.has(target)) return { ...stop, notes: ["repeated"] };
  seen.add(target);
  const [group, members] = await Promise.all([
    findGroup(ctx.db, target),
    listMembers(ctx, [target]),
  ]);
  if (group?.moderation !== "none") stop.notes.push("moderated");
  if (group?.posting !== "anyone") stop.notes.push("restricted");
  if (members.length === 0) stop.notes.push("no_members");
  if (!seesGroups) return { ...stop, more: members.length };
  return { ...stop, ...(await followAll(search, members)) };
}

/** An address of the company that doesn't exist: it may be inactive, or deleted and reserved. */
async function explainUnknown(ctx: Context, address: string): Promise<Branch> {
  const isInactive = not(sql<boolean>`coalesce(${aliases.active}, ${groups.active}, true)`);
  const [[inactive], deleted] = await Promise.all([
    ctx.db
      .select({ address: addresses.address })
      .from(addresses)
      .leftJoin(aliases, eq(aliases.address, addresses.address))
      .leftJoin(groups, eq(groups.address, addresses.address))
      .where(
        and(
          eq(addresses.companyId, ctx.companyId),
          inArray(addresses.address, recipientVariants(address)),
          isInactive,
        ),
      ),
    findReservedAddress(ctx, address),
  ]);
  const stop = stopAt(address, "unknown");
  if (inactive) return { ...stop, notes: ["inactive"] };
  return deleted ? { ...stop, notes: ["deleted"] } : stop;
}
