import { findUnknownAddresses } from "#server/core/mailboxes/addresses/find-unknown-addresses.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Requires that members at the company's own domains exist, because others are typing errors whose mail would bounce.
 *
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export async function requireKnownMembers(
  ctx: Context,
  members: string[],
  field: string,
): Promise<void> {
  const unknown = new Set(await findUnknownAddresses(ctx, members));
  readEach(members, (member, at) => {
    if (unknown.has(member))
      throw new Refusal("invalid", `${field}[${at}]: is not an address of your company`);
  });
}
