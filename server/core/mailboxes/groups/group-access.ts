import { isDeepStrictEqual } from "node:util";

import { eq } from "drizzle-orm";

import { type Group, groups } from "#drizzle/schema/index.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { isForCatchAll, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { readDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  lockGroup,
  readBareAddresses,
  readShownGroup,
  requireGroup,
  type ShownGroup,
} from "./groups.ts";

type Settings = Pick<
  Group,
  "active" | "posting" | "posters" | "moderation" | "moderators" | "replies" | "membersSendAs"
>;

/** Omitted fields keep their values. */
export type AccessChange = { [Setting in keyof Settings]?: Settings[Setting] | undefined };

const ENTRIES_MAX = 200;

/**
 * Changes who can post to a group, moderation, and what members can do.
 *
 * @throws Refusal `not_found`, `invalid`, `mail_server_error`; `invalid_permission` as `requireMayOpen`
 */
export async function changeAccess(
  ctx: Context,
  address: string,
  asked: AccessChange,
): Promise<ShownGroup> {
  await requireGroup(ctx, address);
  const { posters, moderators } = asked;
  const read = readFields({
    posters: () => posters && readPosters(posters),
    moderators: () =>
      moderators && requireAtMost(readBareAddresses(moderators, "moderators"), "moderators"),
  });
  if (read.moderators) await requireModerators(ctx, read.moderators);
  const change = withoutUndefined({ ...asked, ...read });
  const requireAnswer = await checkMailServer(ctx);
  const transaction = asked.active === undefined ? inTransaction : inRevokingTransaction;
  return transaction(ctx, async (ctx) => {
    const before = await lockGroup(ctx, address);
    const after = { ...before, ...change };
    if (after.posting === "listed" && after.posters.length === 0)
      throw new Refusal("invalid", "posters: must not be empty, or no one could post");
    const changed = differences(before, change);
    if (Object.keys(changed).length > 0) {
      // Moderators see its mail.
      await requireMayOpen(ctx, [before.address]);
      await ctx.db.update(groups).set(change).where(eq(groups.address, before.address));
      await recordAudit(ctx, "group.access_changed", { group: before.address, changed });
    }
    requireAnswer();
    return readShownGroup(ctx, before.address);
  });
}

/** Addresses, and domains written as `@example.com`. */
function readPosters(entries: string[]): string[] {
  const domains = entries.filter((entry) => entry.startsWith("@"));
  const addresses = entries.filter((entry) => !entry.startsWith("@"));
  const names = domains.map((entry) => {
    const name = readDomain(entry.slice(1));
    if (name === null)
      throw new Refusal("invalid", "posters: a domain must be written like @example.com");
    return `@${name}`;
  });
  return requireAtMost([...new Set(names), ...readBareAddresses(addresses, "posters")], "posters");
}

/** Moderators must have a mailbox in the company, because they see other people's mail. */
async function requireModerators(ctx: Context, moderators: string[]): Promise<void> {
  const resolved = await resolveRecipients(ctx.db, moderators);
  for (const moderator of moderators) {
    const found = resolved.get(moderator);
    if (found?.kind !== "mailbox" || found.companyId !== ctx.companyId || isForCatchAll(found))
      throw new Refusal("invalid", `moderators: ${moderator} is not a mailbox of the company`);
  }
}

function requireAtMost(entries: string[], field: string): string[] {
  if (entries.length > ENTRIES_MAX)
    throw new Refusal("invalid", `${field}: must have at most ${ENTRIES_MAX} entries`);
  return entries;
}

const withoutUndefined = (change: AccessChange): Partial<Settings> =>
  Object.fromEntries(Object.entries<unknown>(change).filter(([, value]) => value !== undefined));

function differences(before: Settings, change: Partial<Settings>) {
  const names = Object.keys(change) as (keyof Settings)[];
  return Object.fromEntries(
    names
      .filter((name) => !isDeepStrictEqual(before[name], change[name]))
      .map((name) => [name, { from: before[name], to: change[name] }]),
  );
}
