"use client";

import { Box, Button, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useParams, useRouter } from "next/navigation";

import {
  useEnableWebhook,
  useSendTestEvent,
  type WebhookDetail,
} from "#app/console/(pages)/webhooks/queries.ts";
import {
  endpointParts,
  eventCount,
  eventTypeSummary,
  failureCount,
  healthSummary,
  webhookStatus,
} from "#app/console/(pages)/webhooks/webhook-labels.tsx";
import classes from "#app/console/(pages)/webhooks/webhooks.module.css";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { typographic } from "#app/console/ui/format.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

import { WebhookEvents } from "./webhook-events.tsx";

const REFRESH_MS = 5_000;

const loading = <PanelSkeleton count={3} />;

const WebhookSigning = onDemand(
  () => import("./webhook-settings.tsx").then((module) => module.WebhookSigning),
  loading,
);
const WebhookSettings = onDemand(
  () => import("./webhook-settings.tsx").then((module) => module.WebhookSettings),
  loading,
);

export function WebhookDetails() {
  const { id } = useParams<{ id: string }>();
  const webhook = useRead("webhooks.get", { params: { id } }, { refetchInterval: REFRESH_MS });
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

const WebhookSkeleton = () => (
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
  </>
);

const TABS = { events: "Events", signing: "Signing", settings: "Settings" };
const PRELOADS = { signing: WebhookSigning.preload, settings: WebhookSettings.preload };

const WebhookTabs = ({ webhook }: { webhook: WebhookDetail }) => (
  <UrlTabs labels={TABS} preloads={PRELOADS}>
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

const WebhookFacts = ({ webhook }: { webhook: WebhookDetail }) => (
  <Panel title="Details">
    <DescriptionList
      items={{
        Endpoint: <CopyableValue value={webhook.endpoint} label="endpoint" />,
        Events: eventTypeSummary(webhook.events),
        "Last 24 hours": healthSummary(webhook.health),
        [webhook.status === "enabled" ? "Pending" : "Waiting until enabled"]:
          webhook.waiting > 0 && eventCount(webhook.waiting),
        Created: <ExactTime at={webhook.createdAt} />,
        ID: <CopyableValue value={webhook.id} label="ID" />,
      }}
    />
  </Panel>
);

/** Explains why a webhook is failing or disabled. Renders nothing for a healthy one. */
function WebhookProblem({ webhook }: { webhook: WebhookDetail }) {
  if (webhook.status === "disabled") return <DisabledWebhook webhook={webhook} />;
  if (webhook.failures === 0) return null;
  return (
    <Panel title="Deliveries are failing">
      <FailureReason webhook={webhook} />
      <Text>
        Posthouse tries to deliver each event eight times over 28 hours. After 100 failed attempts
        in a row, the webhook is disabled. A successful delivery resets the count.
      </Text>
    </Panel>
  );
}

function DisabledWebhook({ webhook }: { webhook: WebhookDetail }) {
  const enabling = useEnableWebhook();
  const isByFailures = webhook.disabledForFailures;
  return (
    <Panel title={isByFailures ? "Disabled after 100 failed attempts in a row" : "Disabled"}>
      {isByFailures && <FailureReason webhook={webhook} />}
      <Text>
        New events aren’t recorded or delivered while the webhook is disabled.
        {webhook.waiting > 0 &&
          ` ${eventCount(webhook.waiting)} from before will be delivered when you enable it.`}
      </Text>
      <Button mt="md" aria-busy={enabling.isPending} onClick={() => enabling.start(webhook)}>
        Enable webhook
      </Button>
    </Panel>
  );
}

function FailureReason({ webhook }: { webhook: WebhookDetail }) {
  const { failures, failingSince: since, lastFailure: last } = webhook;
  return (
    <Box mb="sm">
      {last && (
        <Text fw={500} mb={4} style={{ overflowWrap: "anywhere" }}>
          {typographic(last.explanation)} <code className={classes.code}>{last.error}</code>
        </Text>
      )}
      <Text c="dimmed">
        {failureCount(failures)}
        {since && (
          <>
            {" since "}
            <ExactTime at={since} />
          </>
        )}
        {last && (
          <>
            {", most recently "}
            <RelativeTime at={last.at} />
          </>
        )}
        .
      </Text>
    </Box>
  );
}

/** Sends a test event and opens its page. */
function SendTestEvent({ webhookId }: { webhookId: string }) {
  const router = useRouter();
  const test = useSendTestEvent((url) => router.push(url));
  return (
    <Button
      variant="default"
      aria-busy={test.isPending || test.answer !== undefined}
      onClick={() => test.start({ params: { id: webhookId } })}
    >
      Send test event
    </Button>
  );
}
