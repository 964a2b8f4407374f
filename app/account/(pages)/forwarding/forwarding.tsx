"use client";

import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/account/queries.ts";
import { type Rules, rulesQuery, useResumeForwarding } from "#app/account/rule-queries.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { StatusDot } from "#app/console/ui/status.tsx";

import { ForwardingForm } from "./forwarding-form.tsx";
import classes from "./forwarding.module.css";

export function Forwarding() {
  const rules = useQuery(rulesQuery);
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader title="Forwarding" description="Forward incoming mail to other addresses." />
      <Panel>
        <QueryView query={rules} noun="your forwarding" skeleton={<Skeleton height={200} />}>
          {(rules) => (
            <>
              <SuspendedForwards suspended={rules.suspendedForwards} />
              <ForwardingForm rules={rules} mayLeave={me?.allows.forwardingOutside ?? true} />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** Forwarding addresses that were suspended because they kept failing. */
function SuspendedForwards({ suspended }: { suspended: Rules["suspendedForwards"] }) {
  const resume = useResumeForwarding();
  if (suspended.length === 0) return null;
  return (
    <Stack gap="sm" mb="lg" maw={480}>
      {suspended.map(({ address, reason }) => (
        <div key={address} className={classes.suspended}>
          <StatusDot tone="waiting" />
          <Text fw={600}>Forwarding to {address} is suspended</Text>
          <Text size="sm">
            Several messages in a row couldn’t be delivered to this address. Last error: {reason}{" "}
            New messages stay in this mailbox.
          </Text>
          <Button
            size="xs"
            variant="default"
            aria-label={`Resume forwarding to ${address}`}
            aria-busy={resume.isPending && resume.variables === address}
            onClick={() => resume.start(address)}
          >
            Resume forwarding
          </Button>
        </div>
      ))}
    </Stack>
  );
}
