import { Button } from "@mantine/core";
import Link from "next/link";
import { type ReactNode, useState } from "react";

import { checkDomain } from "#app/console/(pages)/domains/queries.ts";
import { LazyBulkActionDialog } from "#app/console/(pages)/mailboxes/bulk-actions/lazy-bulk-action-dialog.ts";
import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { ReplayFailedEvents } from "#app/console/(pages)/webhooks/[id]/replay-failed.tsx";
import { change, read } from "#app/console/console-client.ts";
import { usePrivileges } from "#app/console/session.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { fetchOverview, type OverviewProblem, overviewQuery } from "./queries.ts";

const REFRESHED = [overviewQuery.queryKey];

type Kind = OverviewProblem["kind"];

/** In place where that is safe, else a link. */
const ACTIONS: Record<Kind, (problem: OverviewProblem) => ReactNode> = {
  domains_unverified: domainsAction,
  records_missing: domainsAction,
  webhooks_disabled: webhookAction,
  webhooks_failing: webhookAction,
  mailboxes_full: () => <EnlargeMailboxes status="full" />,
  mailboxes_nearly_full: () => <EnlargeMailboxes status="nearly_full" />,
  mailboxes_on_hold: () => <LinkAction href="/console/on-hold">Review</LinkAction>,
  queue_delayed: () => (
    <LinkAction href="/console/emails?status=delivery_delayed">View emails</LinkAction>
  ),
  month_used: usageAction,
  month_nearly_used: usageAction,
};

/** Seeing a problem doesn't require the privilege to solve it. */
const NEEDED: Partial<Record<Kind, Privilege>> = {
  domains_unverified: "domains",
  records_missing: "domains",
  mailboxes_full: "update_users",
  mailboxes_nearly_full: "update_users",
  month_used: "manage_settings",
  month_nearly_used: "manage_settings",
};

/** What to do about a problem. */
export function ProblemAction({ problem }: { problem: OverviewProblem }) {
  const { has } = usePrivileges();
  const needed = NEEDED[problem.kind];
  return (needed === undefined || has(needed)) && ACTIONS[problem.kind](problem);
}

/** The action for one of several objects. */
export function PartAction({ problem, id }: { problem: OverviewProblem; id: string }) {
  const isPart = (part: { id: string }) => part.id === id;
  const domains = problem.domains.filter(isPart);
  const webhooks = problem.webhooks.filter(isPart);
  return <ProblemAction problem={{ ...problem, count: 1, domains, webhooks }} />;
}

/** Checks all domains of the problem, unless there are more than listed. */
function domainsAction({ count, domains }: OverviewProblem) {
  return count === domains.length && <CheckDomains domains={domains} />;
}

function webhookAction({ kind, count, webhooks: [webhook] }: OverviewProblem) {
  if (count > 1) return null;
  if (kind === "webhooks_failing") return <ReplayFailedEvents webhookId={webhook!.id} isCompact />;
  return <EnableWebhook id={webhook!.id} />;
}

function usageAction() {
  return <LinkAction href="/console/settings?tab=usage">View usage</LinkAction>;
}

export function LinkAction({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Button component={Link} href={href} variant="default" size="compact-sm">
      {children}
    </Button>
  );
}

type CheckedDomain = { id: string; name: string };

function CheckDomains({ domains }: { domains: CheckedDomain[] }) {
  const check = useAction({
    call: () => checkDomains(domains),
    invalidates: [...REFRESHED, ["domains", "list"], ["sessions", "getMe"]],
    success: (verified) => checkResult(domains, verified),
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-busy={check.isPending}
      onClick={() => check.start()}
    >
      Check now
    </Button>
  );
}

/** Returns how many have all records now. */
async function checkDomains(domains: CheckedDomain[]): Promise<number> {
  // One after the other, because each check queries DNS.
  for (const { id } of domains) await checkDomain(id);
  const { problems } = await fetchOverview();
  const troubled = new Set(problems.flatMap((problem) => problem.domains.map(({ id }) => id)));
  return domains.filter(({ id }) => !troubled.has(id)).length;
}

function checkResult(domains: CheckedDomain[], complete: number): string {
  const [{ name }] = domains as [CheckedDomain];
  if (domains.length > 1)
    return `${formatCount(complete)} of ${formatCount(domains.length)} domains have all records`;
  return complete === 1 ? `${name} has all records` : `${name} is still missing records`;
}

function EnableWebhook({ id }: { id: string }) {
  const setStatus = (status: "enabled" | "disabled") =>
    change("webhooks.update", { params: { id }, body: { status } });
  const enable = useAction({
    call: () => setStatus("enabled"),
    invalidates: [...REFRESHED, ["webhooks"], ["webhookEvents"]],
    success: "Webhook enabled",
    undo: () => setStatus("disabled"),
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-busy={enable.isPending}
      onClick={() => enable.start()}
    >
      Enable
    </Button>
  );
}

/** Changes the storage limits of all mailboxes in a state, after a preview. */
function EnlargeMailboxes({ status }: { status: "full" | "nearly_full" }) {
  const [mailboxes, setMailboxes] = useState<MailboxRow[] | null>(null);
  const open = useAction({
    call: () => read("mailboxes.select", { query: { status } }),
    invalidates: REFRESHED,
    onDone: ({ data }) => setMailboxes(data),
  });
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-busy={open.isPending}
        onClick={() => open.start()}
      >
        Increase storage
      </Button>
      {mailboxes && (
        <LazyBulkActionDialog
          name="resize"
          mailboxes={mailboxes}
          onClose={() => {
            setMailboxes(null);
          }}
        />
      )}
    </>
  );
}
