import { hash } from "@node-rs/argon2";
import { and, eq } from "drizzle-orm";

import { domains, type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import { domainOf, parseAddress } from "#server/core/addresses/parse-address.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

/**
 * Makes a mailbox in a verified domain of the company. It receives at once; Dovecot makes its store
 * with the first message.
 *
 * @throws Refusal `invalid` for an address that cannot be one here, `already_exists` when it is taken
 */
export async function createMailbox(
  ctx: Context,
  input: {
    address: string;
    name: string;
    password: string;
    quotaMb: number;
    forcePasswordChange: boolean;
  },
): Promise<Mailbox> {
  const address = parseAddress(input.address)?.address;
  if (!address) throw new Refusal("invalid", `${input.address} is not an email address`);
  // Slow on purpose, so outside the transaction.
  const passwordHash = await hash(input.password);

  return inTransaction(ctx, async (ctx) => {
    const domainId = await requireVerifiedDomain(ctx, domainOf(address));
    const [mailbox] = await ctx.db
      .insert(mailboxes)
      .values({
        address,
        companyId: ctx.companyId,
        domainId,
        name: input.name,
        passwordHash,
        quotaMb: input.quotaMb,
        forcePasswordChange: input.forcePasswordChange,
      })
      .onConflictDoNothing()
      .returning();
    if (!mailbox) throw new Refusal("already_exists", `${address} is already in use`);
    await recordAudit(ctx, "mailbox.created", { address });
    return mailbox;
  });
}

async function requireVerifiedDomain(ctx: Context, name: string): Promise<string> {
  const [domain] = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, ctx.companyId),
        eq(domains.name, name),
        eq(domains.status, "verified"),
      ),
    );
  if (!domain) throw new Refusal("invalid", `${name} is not a verified domain of this company`);
  return domain.id;
}
