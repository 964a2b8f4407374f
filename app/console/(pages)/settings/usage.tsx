"use client";

import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { usePrivileges } from "#app/console/privileges.ts";
import { dateFormatter, formatBytes, formatMegabytes } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { UsageMeter } from "./usage-meter.tsx";
import { type Usage as Figures, usageQuery } from "./queries.ts";

const REFRESH_MS = 15_000;

/** Shows the company's usage and limits, which only operators can change. */
export function CompanyUsage() {
  const usage = useQuery({ ...usageQuery, refetchInterval: REFRESH_MS });
  return (
    <QueryView query={usage} noun="the usage" skeleton={<Skeleton height={420} />}>
      {(usage) => (
        <Stack gap="md">
          <SendingUsage usage={usage} />
          <StorageUsage usage={usage} />
          <Panel title="API">
            <DescriptionList>
              <DescriptionItem label="Requests">
                {usage.requestsPerSecond} per second
              </DescriptionItem>
              <DescriptionItem label="Concurrent requests">
                {usage.requestsInProgress}
              </DescriptionItem>
            </DescriptionList>
          </Panel>
          <Text size="sm" c="dimmed">
            {usage.plan === null
              ? "These are custom limits for your company."
              : `These are the limits of the ${usage.plan} plan.`}{" "}
            The operator of this Posthouse server can change them.
          </Text>
        </Stack>
      )}
    </QueryView>
  );
}

function SendingUsage({ usage: { month, hour, scheduled } }: { usage: Figures }) {
  return (
    <Panel title="Sending">
      <Stack gap="lg">
        <UsageMeter
          name="Recipients this month"
          {...month}
          note={`Resets on ${firstOfNextMonth(new Date())} (UTC).`}
        />
        <UsageMeter
          name="Recipients in the last 60 minutes"
          {...hour}
          note="Emails over this limit are rejected until usage drops."
        />
        <UsageMeter
          name="Recipients of scheduled emails"
          {...scheduled}
          note="Already included in this month’s recipients."
        />
      </Stack>
    </Panel>
  );
}

function StorageUsage({ usage }: { usage: Figures }) {
  const { domains, mailboxes, storage, largestMailboxMb: largest } = usage;
  const { has } = usePrivileges();
  const seesDomains = has("domains") || has("api_controls");
  return (
    <Panel title="Domains and mailboxes">
      <Stack gap="lg">
        <UsageMeter name="Domains" {...domains} href={seesDomains && "/console/domains"} />
        <UsageMeter
          name="Mailboxes"
          {...mailboxes}
          href={has("view_users") && "/console/mailboxes"}
        />
        <UsageMeter
          name="Storage"
          href={has("view_users") && "/console/mailboxes?sort=-storage"}
          used={storage.usedBytes}
          allowed={storage.allowedBytes || null}
          format={formatBytes}
          note={[
            "Total storage limit of all mailboxes.",
            largest !== null && `A mailbox can have up to ${formatMegabytes(largest)}.`,
            storage.deletedBytes > 0 &&
              `Deleted mailboxes use ${formatBytes(storage.deletedBytes)} of it.`,
          ]
            .filter(Boolean)
            .join(" ")}
        />
      </Stack>
    </Panel>
  );
}

const formatDate = dateFormatter({ day: "numeric", month: "long", timeZone: "UTC" });

/** The day the monthly count resets. */
function firstOfNextMonth(now: Date): string {
  return formatDate(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)));
}
