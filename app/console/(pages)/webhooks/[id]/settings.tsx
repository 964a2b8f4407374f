"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import {
  useDeleteWebhook,
  useUpdateWebhook,
  type WebhookDetail,
} from "#app/console/(pages)/webhooks/queries.ts";
import { WebhookForm } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { partsOf } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** What a webhook gets and where it goes, its pause and its end. */
export function Settings({ webhook }: { webhook: WebhookDetail }) {
  const update = useUpdateWebhook(webhook.id);
  return (
    <>
      <Panel title="Endpoint and events">
        <WebhookForm
          initial={webhook}
          verb="Save changes"
          isPending={update.isPending}
          error={update.error}
          onSubmit={(fields) => update.mutate(fields)}
          aside={update.isSuccess && <Text role="status">Saved</Text>}
        />
      </Panel>
      {webhook.status === "enabled" && <Disable webhookId={webhook.id} />}
      <Delete webhook={webhook} />
    </>
  );
}

function Disable({ webhookId }: { webhookId: string }) {
  const update = useUpdateWebhook(webhookId);
  const [isOpen, dialog] = useDisclosure();
  return (
    <Panel title="Disable this webhook">
      <Text c="dimmed" mb="md">
        Nothing is delivered until you enable it again. Events that wait are held back until then;
        what happens meanwhile is not recorded for it.
      </Text>
      <Button variant="default" onClick={dialog.open}>
        Disable webhook
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Disable this webhook"
        verb="Disable webhook"
        isPending={update.isPending}
        error={update.error}
        onConfirm={() => update.mutate({ status: "disabled" }, { onSuccess: dialog.close })}
      >
        Events that happen while it is disabled are never delivered to it, not even later.
      </ConfirmDialog>
    </Panel>
  );
}

function Delete({ webhook }: { webhook: WebhookDetail }) {
  const router = useRouter();
  const deletion = useDeleteWebhook(webhook.id);
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <DangerZone title="Delete this webhook" verb="Delete webhook" onAct={dialog.open}>
        Nothing is sent to its endpoint any more. Its events and their attempts are deleted, and so
        are those that still wait. This cannot be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Delete this webhook"
        verb="Delete webhook"
        name={partsOf(webhook.endpoint).host}
        isPending={deletion.isPending || deletion.isSuccess}
        error={deletion.error}
        onConfirm={() =>
          deletion.mutate(undefined, { onSuccess: () => router.replace("/console/webhooks") })
        }
      >
        Its events and their attempts are deleted with it, and so are those that still wait.
      </ConfirmDialog>
    </>
  );
}
