"use client";

import { Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { type WebhookDetail, webhookQuery } from "#app/console/(pages)/webhooks/queries.ts";
import { partsOf, stateOf } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";
import { Status } from "#app/console/ui/status.tsx";

import { Events } from "./events.tsx";
import { SendTest } from "./send-test.tsx";
import { Settings } from "./settings.tsx";
import { Signing } from "./signing.tsx";
import { Trouble } from "./trouble.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";
import { WebhookSkeleton } from "./webhook-skeleton.tsx";

export function Webhook({ id }: { id: string }) {
  const webhook = useQuery(webhookQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Webhooks", href: "/console/webhooks" }]} />
      <QueryView query={webhook} what="this webhook" skeleton={<WebhookSkeleton />} titleOrder={1}>
        {(webhook) => (
          <>
            <PageHeader
              title={partsOf(webhook.endpoint).host}
              sentence={<Status {...stateOf(webhook)} />}
              action={webhook.status === "enabled" && <SendTest webhookId={id} />}
            />
            <Stack gap="md">
              <Trouble webhook={webhook} />
              <WebhookFacts webhook={webhook} />
              <Sections webhook={webhook} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const TABS = ["events", "signing", "settings"] as const;

/** The sections of a webhook; the open one is in the URL. */
function Sections({ webhook }: { webhook: WebhookDetail }) {
  const asked = useSearchParams().get("tab");
  const tab = TABS.find((name) => name === asked) ?? "events";
  return (
    <Tabs
      value={tab}
      onChange={(next) => showSearch(next === "events" ? "?" : `?tab=${next}`)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="events">Events</Tabs.Tab>
        <Tabs.Tab value="signing">Signing</Tabs.Tab>
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="events">
        <Events webhook={webhook} />
      </Tabs.Panel>
      <Tabs.Panel value="signing">
        <Stack gap="md">
          <Signing webhookId={webhook.id} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack gap="md">
          <Settings webhook={webhook} />
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
