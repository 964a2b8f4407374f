"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";

import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";

import { useEnableWebhook, useSendTestEvent, WEBHOOK_SORTS, webhooksQuery } from "./queries.ts";
import { SignatureSamples } from "./signature-samples.tsx";
import { webhookList } from "./webhook-columns.tsx";

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
