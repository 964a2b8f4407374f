import { and, eq, isNull } from "drizzle-orm";

import { mailboxMoves, mailHosts, removedStores } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { type LocatedMailbox, lockLocation } from "./locate-mailbox.ts";
import { findMove, SETTLED_SECONDS } from "./moves.ts";

/**
 * Requests the move of a mailbox to another mail host, which its current host then carries out. Until the switch,
 * another request replaces this one, and a request for the current host cancels it.
 *
 * @param actor recorded in the audit log of the mailbox's company
 * @throws Refusal `not_found` for the mailbox, `invalid` for the host, or while an earlier move isn't finished
 */
export async function requestMove(
  { db, actor }: Pick<Context, "db" | "actor">,
  named: string,
  toHost: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const mailbox = await lockLocation(tx, named);
    const { address, companyId } = mailbox;
    const ctx = createContext(tx, companyId, actor);
    const fromHost = await requireHosts(tx, mailbox, toHost);
    if (await isUnderWay(tx, address, toHost)) return;
    await cancelMove(ctx, mailbox);
    if (fromHost === toHost) return;
    await requireNoOldCopy(tx, mailbox, toHost);
    await tx.insert(mailboxMoves).values({ mailbox: address, fromHost, toHost });
    await recordAudit(ctx, "mailbox.move_started", {
      mailbox: address,
      from: fromHost,
      to: toHost,
    });
  });
}

async function requireHosts(
  db: Db,
  { address, storeHost }: LocatedMailbox,
  toHost: string,
): Promise<string> {
  const known = await db.select({ name: mailHosts.name }).from(mailHosts);
  if (!known.some(({ name }) => name === toHost))
    throw new Refusal("invalid", `Mail host ${toHost} not found. ${nameHosts(known)}`);
  if (storeHost === null)
    throw new Refusal(
      "invalid",
      `${address} isn't on a named mail host yet. Start the host that stores it with POSTHOUSE_MAIL_HOST first`,
    );
  return storeHost;
}

const nameHosts = (hosts: { name: string }[]) =>
  hosts.length === 0
    ? "Set POSTHOUSE_MAIL_HOST on each mail host to name it"
    : `Mail hosts: ${hosts.map(({ name }) => name).join(", ")}`;

const isBeforeSwitch = (mailbox: string) =>
  and(eq(mailboxMoves.mailbox, mailbox), isNull(mailboxMoves.switchedAt));

async function isUnderWay(db: Db, mailbox: string, toHost: string): Promise<boolean> {
  const same = and(isBeforeSwitch(mailbox), eq(mailboxMoves.toHost, toHost));
  return (await db.$count(mailboxMoves, same)) > 0;
}

/** The target host deletes its incomplete copy in the background. */
async function cancelMove(ctx: Context, { address, store }: LocatedMailbox): Promise<void> {
  const [canceled] = await ctx.db
    .delete(mailboxMoves)
    .where(isBeforeSwitch(address))
    .returning({ from: mailboxMoves.fromHost, to: mailboxMoves.toHost });
  if (!canceled) return requireNoEarlierMove(ctx.db, address);
  await ctx.db
    .insert(removedStores)
    .values({ store, address, storeHost: canceled.to })
    .onConflictDoNothing();
  await recordAudit(ctx, "mailbox.move_canceled", { mailbox: address, ...canceled });
}

async function requireNoEarlierMove(db: Db, mailbox: string): Promise<void> {
  const earlier = await findMove(db, mailbox);
  if (earlier)
    throw new Refusal(
      "invalid",
      `${mailbox} was just moved from ${earlier.fromHost}. Try again once the copy there is deleted, ${SETTLED_SECONDS / 60} minutes after the switch`,
    );
}

/** The target host may still be deleting an earlier copy; don't copy into it. */
async function requireNoOldCopy(
  db: Db,
  { address, store }: LocatedMailbox,
  toHost: string,
): Promise<void> {
  const old = and(eq(removedStores.store, store), eq(removedStores.storeHost, toHost));
  if ((await db.$count(removedStores, old)) > 0)
    throw new Refusal(
      "invalid",
      `An old copy of ${address} on ${toHost} is being deleted. Try again in a minute`,
    );
}
