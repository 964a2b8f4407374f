import { v7 as uuidv7 } from "uuid";

import { countRecentAudits } from "#server/core/shared/audit/count-recent-audits.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { lockCompanyDomains } from "./locks.ts";
import { requireDomain } from "./require-domain.ts";

/** Emails with records that a company can send in an hour, to any addresses. */
const PER_HOUR_MAX = 10;
const HOUR_S = 3600;

/**
 * Emails the records of one of the company's domains to the person who manages its DNS, from the appliance's own domain.
 * Replies go to the admin.
 *
 * @param to an address without a name
 * @throws Refusal `not_found`; `invalid` for an invalid address; `rate_limit_exceeded` after ten in an hour
 */
export async function emailRecords(
  ctx: Context,
  domainId: string,
  { to: written, sentBy }: { to: string; sentBy: string },
): Promise<void> {
  const { name } = await requireDomain(ctx, domainId);
  const to = readBareAddress(written.trim());
  if (to === null) throw new Refusal("invalid", "to: must be a valid address");
  await inTransaction(ctx, async (ctx) => {
    await lockCompanyDomains(ctx);
    const sent = await countRecentAudits(ctx, "domain.records_emailed", HOUR_S);
    if (sent >= PER_HOUR_MAX)
      throw new Refusal(
        "rate_limit_exceeded",
        `You can email DNS records ${PER_HOUR_MAX} times an hour. Try again later, or download the zone file`,
      );
    await recordAudit(ctx, "domain.records_emailed", { domainId, name, to });
    await enqueue(ctx.db, "send_notice", {
      id: uuidv7(),
      companyId: ctx.companyId,
      notice: { kind: "dns_records", domainId, to, sentBy },
    });
  });
}
