"use client";

import { Button, Text } from "@mantine/core";

import { useEnableWebhook, type WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventCount, failureCount } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { typographic } from "#app/console/ui/format.ts";

import classes from "./webhook-problem.module.css";

/** Explains why a webhook is failing or disabled. Renders nothing for a healthy one. */
export function WebhookProblem({ webhook }: { webhook: WebhookDetail }) {
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
      <div className={classes.action}>
        <Button aria-busy={enabling.isPending} onClick={() => enabling.start(webhook)}>
          Enable webhook
        </Button>
      </div>
    </Panel>
  );
}

function FailureReason({ webhook }: { webhook: WebhookDetail }) {
  const { failures, failingSince: since, lastFailure: last } = webhook;
  return (
    <div className={classes.reason}>
      {last && (
        <p className={classes.explanation}>
          {typographic(last.explanation)} <code className={classes.code}>{last.error}</code>
        </p>
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
    </div>
  );
}
