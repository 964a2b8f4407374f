"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { reasons } from "#app/console/(pages)/quarantine/quarantine-labels.ts";
import { quarantinedMessageQuery } from "#app/console/(pages)/quarantine/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { QuarantinedContent } from "./quarantined-content.tsx";
import { DecisionButtons } from "./decision-buttons.tsx";
import { QuarantinedFacts } from "./quarantined-facts.tsx";
import { QuarantineReason } from "./quarantine-reason.tsx";

export function QuarantinedMessage({ id }: { id: string }) {
  const held = useQuery(quarantinedMessageQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Quarantine", href: "/console/quarantine" }]} />
      <QueryView
        query={held}
        noun="this message"
        skeleton={<QuarantinedMessageSkeleton />}
        titleOrder={1}
      >
        {(message) => (
          <>
            <PageHeader
              title={message.subject || "(no subject)"}
              description={<Status {...reasons[message.reason]} />}
              help={message.reason === "moderation" ? "groups" : "spam"}
              action={<DecisionButtons message={message} />}
            />
            <SideBySide side={<QuarantinedFacts message={message} />}>
              <Stack gap="md">
                <QuarantineReason message={message} />
                <QuarantinedContent message={message} />
              </Stack>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

function QuarantinedMessageSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Panel>
        <SkeletonLines count={9} />
      </Panel>
    </>
  );
}
