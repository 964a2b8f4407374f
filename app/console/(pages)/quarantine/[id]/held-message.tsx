"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { reasons } from "#app/console/(pages)/quarantine/held-words.ts";
import { heldQuery } from "#app/console/(pages)/quarantine/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { Content } from "./content.tsx";
import { Decide } from "./decide.tsx";
import { HeldFacts } from "./held-facts.tsx";
import { Why } from "./why.tsx";

export function HeldMessage({ id }: { id: string }) {
  const held = useQuery(heldQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Quarantine", href: "/console/quarantine" }]} />
      <QueryView query={held} what="this message" skeleton={<HeldSkeleton />} titleOrder={1}>
        {(message) => (
          <>
            <PageHeader
              title={message.subject || "(no subject)"}
              sentence={<Status {...reasons[message.reason]} />}
              help={message.reason === "moderation" ? "groups" : "spam"}
              action={<Decide message={message} />}
            />
            <SideBySide side={<HeldFacts message={message} />}>
              <Stack gap="md">
                <Why message={message} />
                <Content message={message} />
              </Stack>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

function HeldSkeleton() {
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
