import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import {
  hasPrivilegeAnywhere,
  type HeldPrivileges,
} from "#server/core/access/privileges/held-privileges.ts";
import { readUsage } from "#server/core/operations/companies/read-usage.ts";
import type { Context } from "#server/core/shared/context.ts";

import { companyQueue } from "./internal/company-queue.ts";
import { troubledDomains } from "./internal/troubled-domains.ts";
import { fullMailboxes, mailboxesOnHold } from "./internal/troubled-mailboxes.ts";
import { troubledWebhooks } from "./internal/troubled-webhooks.ts";
import { findProblems, type OverviewFacts, type Problem } from "./problems.ts";

/** Reads what `callerPrivileges` allow, and what is wrong in it. Mailboxes are limited to the units that they cover. */
export async function readProblems(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<{ facts: OverviewFacts; problems: Problem[] }> {
  const holds = (...wanted: Privilege[]) =>
    wanted.some((privilege) => callerPrivileges.privileges.has(privilege));
  const holdsAnywhere = (privilege: Privilege) => hasPrivilegeAnywhere(callerPrivileges, privilege);
  const ifSo = <T>(isAllowed: boolean, read: () => Promise<T>) => (isAllowed ? read() : null);
  const [queue, month, domains, webhooks, mailboxes, onHold] = await Promise.all([
    ifSo(holds("api_controls"), () => companyQueue(ctx)),
    ifSo(holds("api_controls", "manage_settings"), async () => (await readUsage(ctx)).month),
    ifSo(holds("api_controls", "domains"), () => troubledDomains(ctx)),
    ifSo(holds("api_controls"), () => troubledWebhooks(ctx)),
    ifSo(holdsAnywhere("view_users"), () => fullMailboxes(ctx, callerPrivileges)),
    ifSo(holdsAnywhere("reset_user_passwords"), () => mailboxesOnHold(ctx, callerPrivileges)),
  ]);
  const facts = { queue, month, domains, webhooks, mailboxes, onHold };
  return { facts, problems: findProblems(facts) };
}
