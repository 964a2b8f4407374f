import {
  lockVerifiedDomain,
  readNewAddressOrCatchAll,
  reserveAddress,
} from "#server/core/mailboxes/addresses/new-address.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  countInboundAddresses,
  getInboundAddress,
  type ListedInboundAddress,
} from "./list-inbound-addresses.ts";

/** The list isn't paginated. A catch-all serves a program that needs more. */
const INBOUND_ADDRESSES_MAX = 100;

/**
 * Creates an inbound address, whose mail programs read through the API from then on. `*@example.com` is a catch-all for
 * what else doesn't exist at the domain.
 *
 * @throws Refusal `invalid`, `already_exists`, `not_allowed`
 */
export async function createInboundAddress(
  ctx: Context,
  written: string,
): Promise<ListedInboundAddress> {
  const address = readNewAddressOrCatchAll(written, "address");
  return inTransaction(ctx, async (ctx) => {
    const domainId = await lockVerifiedDomain(ctx, addressDomain(address), "address");
    await lockCompany(ctx);
    if ((await countInboundAddresses(ctx)) >= INBOUND_ADDRESSES_MAX)
      throw new Refusal(
        "not_allowed",
        `A company can have ${INBOUND_ADDRESSES_MAX} inbound addresses. Use a catch-all, such as *@${addressDomain(address)}`,
      );
    await reserveAddress(ctx, { address, domainId, kind: "inbound", field: "address" });
    await recordAudit(ctx, "inbound_address.created", { address });
    return getInboundAddress(ctx, address);
  });
}
