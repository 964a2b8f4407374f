"use client";

import { Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import {
  useDeleteWebhook,
  useUpdateWebhook,
  type WebhookDetail,
} from "#app/console/(pages)/webhooks/queries.ts";
import { WebhookForm } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { endpointParts } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { ConfirmDialog, ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { DangerZone, Panel } from "#app/console/ui/panel.tsx";

export function WebhookSettings({ webhook }: { webhook: WebhookDetail }) {
  const update = useUpdateWebhook(webhook.id);
  return (
    <>
      <Panel title="Endpoint and events">
        <WebhookForm
          initial={webhook}
          submitLabel="Save changes"
          draft={`webhook-${webhook.id}`}
          send={update.mutateAsync}
        />
      </Panel>
      {webhook.status === "enabled" && <DisableWebhook webhookId={webhook.id} />}
      <DeleteWebhook webhook={webhook} />
    </>
  );
}

function DisableWebhook({ webhookId }: { webhookId: string }) {
  const update = useUpdateWebhook(webhookId);
  return (
    <Panel title="Disable webhook">
      <Text c="dimmed" mb="md">
        Stops deliveries until you enable the webhook again. Pending events wait until then. New
        events aren’t recorded while the webhook is disabled.
      </Text>
      <ConfirmedButton
        label="Disable webhook"
        title="Disable webhook?"
        onConfirm={() => update.mutateAsync({ status: "disabled" })}
      >
        Events that occur while the webhook is disabled are never delivered, not even after you
        enable it again.
      </ConfirmedButton>
    </Panel>
  );
}

function DeleteWebhook({ webhook }: { webhook: WebhookDetail }) {
  const router = useRouter();
  const deletion = useDeleteWebhook(webhook.id);
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <DangerZone title="Delete webhook" actionLabel="Delete webhook" onAction={dialog.open}>
        Stops deliveries to the endpoint and deletes all events and attempts, including pending
        events. This can’t be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Delete webhook?"
        confirmLabel="Delete webhook"
        typeToConfirm={endpointParts(webhook.endpoint).host}
        leavesPage
        onConfirm={async () => {
          await deletion.mutateAsync();
          router.replace("/console/webhooks");
        }}
      >
        All events and attempts of this webhook are deleted, including pending events.
      </ConfirmDialog>
    </>
  );
}
