"use client";

import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { eventTypeSummary } from "#app/console/(pages)/webhooks/event-types.ts";
import { type WebhookDetail, webhookQuery } from "#app/console/(pages)/webhooks/queries.ts";
import {
  endpointParts,
  eventCount,
  healthSummary,
  webhookStatus,
} from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";

import { EventListSkeleton } from "./event-columns.tsx";
import { SendTestEvent } from "./send-test.tsx";
import { WebhookEvents } from "./webhook-events.tsx";
import { WebhookProblem } from "./webhook-problem.tsx";
import { WebhookSettings } from "./webhook-settings.tsx";
import { WebhookSigning } from "./webhook-signing.tsx";

export function Webhook({ id }: { id: string }) {
  const webhook = useQuery(webhookQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Webhooks", href: "/console/webhooks" }]} />
      <QueryView query={webhook} noun="this webhook" skeleton={<WebhookSkeleton />} titleOrder={1}>
        {(webhook) => (
          <>
            <PageHeader
              documentTitle={`${endpointParts(webhook.endpoint).host} · Webhooks`}
              title={endpointParts(webhook.endpoint).host}
              description={<Status {...webhookStatus(webhook)} />}
              action={webhook.status === "enabled" && <SendTestEvent webhookId={id} />}
            />
            <Stack gap="md">
              <WebhookProblem webhook={webhook} />
              <WebhookFacts webhook={webhook} />
              <WebhookTabs webhook={webhook} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const SKELETON_FACTS = 5;

export function WebhookSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Panel>
        <Stack gap={20}>
          {Array.from({ length: SKELETON_FACTS }, (_, line) => (
            <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
          ))}
        </Stack>
      </Panel>
      <Skeleton height={32} width={240} my="md" />
      <EventListSkeleton />
    </>
  );
}

const TABS = { events: "Events", signing: "Signing", settings: "Settings" };

function WebhookTabs({ webhook }: { webhook: WebhookDetail }) {
  return (
    <UrlTabs labels={TABS}>
      <Tabs.Panel value="events">
        <WebhookEvents webhook={webhook} />
      </Tabs.Panel>
      <Tabs.Panel value="signing">
        <Stack gap="md">
          <WebhookSigning webhookId={webhook.id} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack gap="md">
          <WebhookSettings webhook={webhook} />
        </Stack>
      </Tabs.Panel>
    </UrlTabs>
  );
}

function WebhookFacts({ webhook }: { webhook: WebhookDetail }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Endpoint">
          <CopyableValue value={webhook.endpoint} label="endpoint" />
        </DescriptionItem>
        <DescriptionItem label="Events">{eventTypeSummary(webhook.events)}</DescriptionItem>
        <DescriptionItem label="Last 24 hours">{healthSummary(webhook.health)}</DescriptionItem>
        {webhook.waiting > 0 && (
          <DescriptionItem
            label={webhook.status === "enabled" ? "Pending" : "Waiting until enabled"}
          >
            {eventCount(webhook.waiting)}
          </DescriptionItem>
        )}
        <DescriptionItem label="Created">
          <ExactTime at={webhook.createdAt} />
        </DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={webhook.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
