import { readUsage, type Used } from "#server/core/operations/companies/read-usage.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Privilege } from "#server/core/access/rights/privileges.ts";
import { maySomewhere, type Rights } from "#server/core/access/rights/rights.ts";

import { type Checklist, readChecklist } from "./checklist.ts";
import { type CompanyQueue, companyQueue } from "./company-queue.ts";
import { countHeld, countQuarantined } from "./count-waiting.ts";
import { type FullMailbox, fullMailboxes } from "./full-mailboxes.ts";
import type { Troubled } from "./troubled.ts";
import { type TroubledDomain, troubledDomains } from "./troubled-domains.ts";
import { type TroubledWebhook, troubledWebhooks } from "./troubled-webhooks.ts";

/** How a company is, as far as one may see it: null for what one may not. */
export type Overview = {
  queue: CompanyQueue | null;
  month: Used | null;
  domains: Troubled<TroubledDomain> | null;
  webhooks: Troubled<TroubledWebhook> | null;
  mailboxes: Troubled<FullMailbox> | null;
  held: number | null;
  quarantined: number | null;
  /** Null once the first email was delivered, too. */
  checklist: Checklist | null;
};

/** Reads all that `rights` allow; of mailboxes those in the units that they allow. */
export async function readOverview(
  ctx: Context,
  { email, ...rights }: Rights & { email: string },
): Promise<Overview> {
  const { privileges } = rights;
  const holds = (...wanted: Privilege[]) => wanted.some((privilege) => privileges.has(privilege));
  const ifSo = <T>(isAllowed: boolean, read: () => Promise<T>) => (isAllowed ? read() : null);
  const [queue, month, domains, webhooks, mailboxes, held, quarantined, checklist] =
    await Promise.all([
      ifSo(holds("api_controls"), () => companyQueue(ctx)),
      ifSo(holds("api_controls", "manage_settings"), async () => (await readUsage(ctx)).month),
      ifSo(holds("api_controls", "domains"), () => troubledDomains(ctx)),
      ifSo(holds("api_controls"), () => troubledWebhooks(ctx)),
      ifSo(maySomewhere(rights, "view_users"), () => fullMailboxes(ctx, rights)),
      ifSo(maySomewhere(rights, "reset_user_passwords"), () => countHeld(ctx, rights)),
      ifSo(holds("update_users", "manage_groups"), () => countQuarantined(ctx, rights)),
      ifSo(holds("api_controls"), () => readChecklist(ctx, email)),
    ]);
  const isDone = checklist === null || checklist.isDelivered;
  return {
    ...{ queue, month, domains, webhooks, mailboxes, held, quarantined },
    checklist: isDone ? null : checklist,
  };
}
