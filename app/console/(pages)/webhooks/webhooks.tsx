"use client";

import { Button, Menu, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";

import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status, TestBadge } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import {
  useEnableWebhook,
  useSendTestEvent,
  WEBHOOK_SORTS,
  type WebhookRow,
  webhooksQuery,
} from "./queries.ts";
import { SignatureSamples } from "./signature-samples.tsx";
import { eventTypeSummary } from "./webhook-form.tsx";
import { EndpointName, failureCount, healthSummary, webhookStatus } from "./webhook-labels.tsx";

const HEADER = {
  title: "Webhooks",
  sentence: "Notify your applications about events of your emails and domains.",
  help: "webhooks",
} as const;

const SKELETON_ROWS = 3;

export function Webhooks() {
  const place = usePageCursor();
  const params = useListParams(WEBHOOK_SORTS);
  const webhooks = useQuery(webhooksQuery(place, params.sort));
  const router = useRouter();
  const test = useSendTestEvent((url) => router.push(url));
  const enabling = useEnableWebhook();
  const layout = webhookList({ onTest: ({ id }) => test.start(id), onEnable: enabling.start });
  const isEmpty = isEmptyList(webhooks, place, false);
  const create = (
    <Button component={Link} href="/console/webhooks/new">
      Create webhook
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={webhooks.data && !isEmpty && create} />
      {!isEmpty && !isForbidden(webhooks) && (
        <FilterBar>
          <ListTools layout={layout} params={params} />
        </FilterBar>
      )}
      <ListView
        {...{ layout, place, params }}
        query={webhooks}
        skeletonRows={SKELETON_ROWS}
        isFiltered={false}
        empty={<NoWebhooks create={create} />}
      />
    </>
  );
}

export const webhookList = ({ onTest, onEnable }: WebhookActions): ListLayout<WebhookRow> => ({
  noun: "webhooks",
  label: "Webhooks",
  standardSort: "-created",
  columns: [
    {
      area: "endpoint",
      header: "Endpoint",
      kind: "name",
      width: "minmax(0, 6fr)",
      sort: "endpoint",
      cell: ({ id, endpoint, isTest }) => (
        <>
          <ListRowLink href={`/console/webhooks/${id}`} title={endpoint}>
            <EndpointName endpoint={endpoint} />
          </ListRowLink>
          {isTest && <TestBadge />}
        </>
      ),
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "104px",
      cell: (webhook) => <Status {...webhookStatus(webhook)} />,
    },
    {
      area: "events",
      header: "Events",
      kind: "text",
      width: "132px",
      isOptional: true,
      cell: ({ events }) => eventTypeSummary(events),
    },
    {
      area: "health",
      header: "Last 24 hours",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: ({ failures, health }) =>
        failures > 0 ? failureCount(failures) : healthSummary(health),
    },
    {
      area: "created",
      header: "Created",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ endpoint }) => endpoint,
      (webhook) => (
        <>
          {webhook.status === "enabled" ? (
            <Menu.Item onClick={() => onTest(webhook)}>Send test event</Menu.Item>
          ) : (
            <Menu.Item onClick={() => onEnable(webhook)}>Enable webhook</Menu.Item>
          )}
          <LinkItem href={`/console/webhooks/${webhook.id}?tab=settings`}>Change settings</LinkItem>
          <CopyItem value={webhook.endpoint}>Copy endpoint</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"endpoint menu" auto "health status" auto / minmax(0, 1fr) auto`,
});

const SKELETON_LIST = webhookList({ onTest: () => {}, onEnable: () => {} });

/** Server-rendered fallback: the list's position comes from the URL, which only the browser knows. */
export function WebhooksSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

function NoWebhooks({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Receive events in real time">
      <Text c="dimmed">
        A webhook posts events to your endpoint, for example when an email is delivered, bounces, or
        is opened. Posthouse retries failed deliveries for more than a day.
      </Text>
      <div>{create}</div>
      <Text mt="xs">
        Your endpoint verifies the signature, responds with a 2xx status within 10 seconds, and then
        processes the event:
      </Text>
      <SignatureSamples />
    </EmptyState>
  );
}

type WebhookActions = Record<"onTest" | "onEnable", (webhook: WebhookRow) => void>;
