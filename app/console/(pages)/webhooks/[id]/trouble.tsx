"use client";

import { Button, Text } from "@mantine/core";

import { useUpdateWebhook, type WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventCount, failuresInWords } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./trouble.module.css";

/** While something is wrong with a webhook: what, since when, and what to do. */
export function Trouble({ webhook }: { webhook: WebhookDetail }) {
  if (webhook.status === "disabled") return <Disabled webhook={webhook} />;
  if (webhook.failures === 0) return null;
  return (
    <Panel title="Deliveries fail">
      <Reason webhook={webhook} />
      <Text>
        Each event is tried eight times in 28 hours. After 100 failures in a row the webhook is
        disabled; one success begins the count anew.
      </Text>
    </Panel>
  );
}

function Disabled({ webhook }: { webhook: WebhookDetail }) {
  const update = useUpdateWebhook(webhook.id);
  const byFailures = webhook.disabled_for_failures;
  return (
    <Panel title={byFailures ? "Disabled after 100 failures in a row" : "Disabled"}>
      {byFailures && <Reason webhook={webhook} />}
      <Text>
        What happens now is not recorded for it and will not be delivered.
        {webhook.waiting > 0 &&
          ` ${eventCount(webhook.waiting)} from before ${webhook.waiting === 1 ? "is" : "are"} held back, and delivered at once when you enable it.`}
      </Text>
      <div className={classes.action}>
        <Button loading={update.isPending} onClick={() => update.mutate({ status: "enabled" })}>
          Enable webhook
        </Button>
        <FormProblem error={update.error} />
      </div>
    </Panel>
  );
}

function Reason({ webhook }: { webhook: WebhookDetail }) {
  const { failures, failing_since: since, last_failure: last } = webhook;
  return (
    <div className={classes.reason}>
      {last && (
        <p className={classes.explanation}>
          {last.explanation} <code className={classes.code}>{last.error}</code>
        </p>
      )}
      <Text c="dimmed">
        {failuresInWords(failures)}
        {since && (
          <>
            {" since "}
            <ExactMoment at={since} />
          </>
        )}
        {last && (
          <>
            {", the last one "}
            <RelativeMoment at={last.at} />
          </>
        )}
        .
      </Text>
    </div>
  );
}
