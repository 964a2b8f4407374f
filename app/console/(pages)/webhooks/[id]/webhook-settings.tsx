import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import { useUpdateWebhook, type WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { SignatureSamples } from "#app/console/(pages)/webhooks/signature-samples.tsx";
import { WebhookForm } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { endpointParts } from "#app/console/(pages)/webhooks/webhook-labels.tsx";
import { read } from "#app/console/console-client.ts";
import { useAction, useChange } from "#app/console/ui/actions.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import {
  ConfirmDialog,
  ConfirmedButton,
  DangerousAction,
  SecretDialog,
} from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function WebhookSettings({ webhook }: { webhook: WebhookDetail }) {
  const update = useUpdateWebhook();
  return (
    <>
      <Panel title="Endpoint and events">
        <WebhookForm
          initial={webhook}
          submitLabel="Save changes"
          draft={`webhook-${webhook.id}`}
          send={(body) => update.run({ params: { id: webhook.id }, body })}
        />
      </Panel>
      {webhook.status === "enabled" && <DisableWebhook webhookId={webhook.id} />}
      <DeleteWebhook webhook={webhook} />
    </>
  );
}

function DisableWebhook({ webhookId }: { webhookId: string }) {
  const update = useUpdateWebhook();
  return (
    <Panel title="Disable webhook">
      <Text c="dimmed" mb="md">
        Stops deliveries until you enable the webhook again. Pending events wait until then. New
        events aren’t recorded while the webhook is disabled.
      </Text>
      <ConfirmedButton
        label="Disable webhook"
        title="Disable webhook?"
        onConfirm={() => update.run({ params: { id: webhookId }, body: { status: "disabled" } })}
      >
        Events that occur while the webhook is disabled are never delivered, not even after you
        enable it again.
      </ConfirmedButton>
    </Panel>
  );
}

function DeleteWebhook({ webhook: { id, endpoint } }: { webhook: WebhookDetail }) {
  const router = useRouter();
  const deletion = useChange("webhooks.delete", { invalidates: ["webhooks.list"] });
  return (
    <DangerousAction
      title="Delete webhook"
      action="Delete webhook"
      description="Stops deliveries to the endpoint and deletes all events and attempts, including pending events. This can’t be undone."
      question="Delete webhook?"
      typeToConfirm={endpointParts(endpoint).host}
      leavesPage
      onConfirm={async () => {
        await deletion.run({ params: { id } });
        router.replace("/console/webhooks");
      }}
    >
      All events and attempts of this webhook are deleted, including pending events.
    </DangerousAction>
  );
}

export const WebhookSigning = ({ webhookId }: { webhookId: string }) => (
  <>
    <Panel title="Signing secret">
      <SigningSecret webhookId={webhookId} />
    </Panel>
    <Panel title="Verify signatures">
      <Text mb="md">
        Anyone can post to your endpoint. Verify the signature to make sure that an event comes from
        Posthouse and wasn’t modified, and the timestamp to reject replayed requests.
      </Text>
      <SignatureSamples />
    </Panel>
  </>
);

function SigningSecret({ webhookId }: { webhookId: string }) {
  const input = { params: { id: webhookId } };
  // An action, so that the secret isn't kept in the query cache.
  const reveal = useAction({ call: () => read("webhooks.getSigningSecret", input) });
  const rotation = useChange("webhooks.rotateSigningSecret");
  const [isConfirming, confirmation] = useDisclosure();

  function handleSaved() {
    rotation.reset();
    reveal.reset();
  }

  return (
    <>
      {reveal.answer ? (
        <CopyableValue value={reveal.answer.signingSecret} label="signing secret" />
      ) : (
        <Text c="dimmed">Hidden. Anyone with this secret can forge events.</Text>
      )}
      <Group gap="xs" mt="md">
        <Button
          variant="default"
          aria-busy={reveal.isPending}
          onClick={() => (reveal.answer ? reveal.reset() : reveal.start())}
        >
          {reveal.answer ? "Hide secret" : "Reveal secret"}
        </Button>
        <Button variant="default" onClick={confirmation.open}>
          Rotate secret
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={confirmation.close}
        title="Rotate signing secret?"
        confirmLabel="Rotate secret"
        onConfirm={() => rotation.run(input)}
      >
        The current secret stops working immediately. Until your application uses the new secret,
        its signature verification fails. Posthouse retries the events that it rejects.
      </ConfirmDialog>
      {rotation.answer && !isConfirming && (
        <SecretDialog
          title="New signing secret"
          secret={rotation.answer.signingSecret}
          fileName="posthouse-webhook-secret.txt"
          onStored={handleSaved}
        >
          New deliveries are already signed with this secret. Update your application now.
        </SecretDialog>
      )}
    </>
  );
}
