"use client";

import { Text } from "@mantine/core";
import { useRouter } from "next/navigation";

import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Menu } from "#app/console/ui/menu.tsx";
import { createdColumn, statusColumn } from "#app/console/ui/list-columns.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { CopyItem, LinkItem } from "#app/console/ui/row-menu.tsx";
import { TestBadge } from "#app/console/ui/status.tsx";

import { useEnableWebhook, useSendTestEvent } from "./queries.ts";
import { SignatureSamples } from "./signature-samples.tsx";
import {
  EndpointName,
  eventTypeSummary,
  failureCount,
  healthSummary,
  webhookStatus,
} from "./webhook-labels.tsx";

const REFRESH_MS = 5_000;

/** A company can have ten webhooks. */
const ROWS_MAX = 10;

export function Webhooks() {
  const router = useRouter();
  const test = useSendTestEvent((url) => router.push(url));
  const enabling = useEnableWebhook();
  return (
    <ListPage
      list="webhooks.list"
      title="Webhooks"
      description="Notify your applications when something happens to your emails or domains."
      help="webhooks"
      noun="webhooks"
      standardSort="-created"
      rowsPerPage={ROWS_MAX}
      skeletonRows={3}
      settings={{ refetchInterval: REFRESH_MS }}
      create={{ label: "Create webhook", href: "/console/webhooks/new" }}
      empty={(_, create) => (
        <EmptyState title="Receive events in real time">
          <Text>
            A webhook posts events to your endpoint, for example when an email is delivered,
            bounces, or is opened. Posthouse retries failed deliveries for more than a day.
          </Text>
          <div>{create}</div>
          <Text mt="xs">
            Your endpoint verifies the signature, responds with a 2xx status within 10 seconds, and
            then processes the event:
          </Text>
          <SignatureSamples />
        </EmptyState>
      )}
      columns={{
        endpoint: {
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
        status: statusColumn("104px", webhookStatus),
        events: {
          header: "Events",
          width: "132px",
          isOptional: true,
          cell: ({ events }) => eventTypeSummary(events),
        },
        health: {
          header: "Last 24 hours",
          width: "minmax(0, 5fr)",
          cell: ({ failures, health }) =>
            failures > 0 ? failureCount(failures) : healthSummary(health),
        },
        created: { ...createdColumn("Created"), isOptional: true },
      }}
      nameOf={({ endpoint }) => endpoint}
      menu={(webhook) => (
        <>
          {webhook.status === "enabled" ? (
            <Menu.Item onClick={() => test.start({ params: { id: webhook.id } })}>
              Send test event
            </Menu.Item>
          ) : (
            <Menu.Item onClick={() => enabling.start(webhook)}>Enable webhook</Menu.Item>
          )}
          <LinkItem href={`/console/webhooks/${webhook.id}?tab=settings`}>Change settings</LinkItem>
          <CopyItem value={webhook.endpoint}>Copy endpoint</CopyItem>
        </>
      )}
      phone={`"endpoint endpoint menu" auto "health status status" auto / minmax(0, 1fr) auto 28px`}
    />
  );
}
