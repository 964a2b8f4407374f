"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { webhooksQuery } from "./queries.ts";
import { SignatureSamples } from "./signature-samples.tsx";
import { WebhookList, WebhookListSkeleton } from "./webhook-list.tsx";

const HEADER = {
  title: "Webhooks",
  sentence: "Notify your applications about events of your emails and domains.",
  help: "webhooks",
} as const;

export function Webhooks() {
  const place = usePageCursor();
  const webhooks = useQuery(webhooksQuery(place));
  const isEmpty = webhooks.data?.data.length === 0 && !place.after && !place.before;
  const create = (
    <Button component={Link} href="/console/webhooks/new">
      Create webhook
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={webhooks.data && !isEmpty && create} />
      <QueryView query={webhooks} noun="the webhooks" skeleton={<WebhookListSkeleton />}>
        {(page) =>
          isEmpty ? (
            <NoWebhooks create={create} />
          ) : (
            <>
              <WebhookList webhooks={page.data} />
              <Pagination cursor={place} page={page} isPlaceholder={webhooks.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

/** Server-rendered fallback: the list's position comes from the URL, which only the browser knows. */
export function WebhooksSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <WebhookListSkeleton />
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
