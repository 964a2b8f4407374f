"use client";

import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { bytesInWords } from "#app/account/ui/bytes.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { Meter } from "./meter.tsx";
import { type Usage as Figures, usageQuery } from "./queries.ts";

const REFRESH_MS = 15_000;

/** What the company uses of what it may; only who runs the appliance changes what it may. */
export function Usage() {
  const usage = useQuery({ ...usageQuery, refetchInterval: REFRESH_MS });
  return (
    <QueryView query={usage} what="the usage" skeleton={<Skeleton height={420} />}>
      {(usage) => (
        <Stack gap="md">
          <Sending usage={usage} />
          <Holding usage={usage} />
          <Panel title="API">
            <Facts>
              <Fact name="Requests">{usage.requests_per_second} a second</Fact>
              <Fact name="In parallel">{usage.requests_in_progress}</Fact>
            </Facts>
          </Panel>
          <Text size="sm" c="dimmed">
            {usage.plan === null
              ? "These limits were set for your company."
              : `These limits are those of the plan ${usage.plan}.`}{" "}
            Whoever runs this Posthouse can change them.
          </Text>
        </Stack>
      )}
    </QueryView>
  );
}

function Sending({ usage: { month, hour, scheduled } }: { usage: Figures }) {
  return (
    <Panel title="Sending">
      <Stack gap="lg">
        <Meter
          name="Recipients this month"
          {...month}
          note={`Counted anew from ${firstOfNextMonth(new Date())} (UTC).`}
        />
        <Meter
          name="Recipients in the last 60 minutes"
          {...hour}
          note="Beyond it emails are refused until there is room again."
        />
        <Meter
          name="Recipients waiting in scheduled emails"
          {...scheduled}
          note="They count to the month already."
        />
      </Stack>
    </Panel>
  );
}

function Holding({ usage }: { usage: Figures }) {
  const { domains, mailboxes, storage, largest_mailbox_mb: largest } = usage;
  return (
    <Panel title="Domains and mailboxes">
      <Stack gap="lg">
        <Meter name="Domains" {...domains} />
        <Meter name="Mailboxes" {...mailboxes} />
        <Meter
          name="Storage"
          used={storage.used_bytes}
          allowed={storage.allowed_bytes || null}
          words={bytesInWords}
          note={
            largest === null
              ? "Of the sizes of all mailboxes together."
              : `Of the sizes of all mailboxes together. The largest may have ${bytesInWords(largest * 1024 * 1024)}.`
          }
        />
      </Stack>
    </Panel>
  );
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** When the month's count begins again. */
function firstOfNextMonth(now: Date): string {
  return day.format(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)));
}
