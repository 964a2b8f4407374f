"use client";

import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { SignatureSamples } from "#app/console/(pages)/webhooks/signature-samples.tsx";
import { useRevealSecret, useRotateSecret } from "#app/console/(pages)/webhooks/queries.ts";
import { ConfirmDialog, SecretDialog } from "#app/console/ui/dialog.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function WebhookSigning({ webhookId }: { webhookId: string }) {
  return (
    <>
      <Panel title="Signing secret">
        <SigningSecret webhookId={webhookId} />
      </Panel>
      <Panel title="Verify signatures">
        <Text mb="md">
          Anyone can post to your endpoint. Verify the signature to make sure that an event comes
          from Posthouse and wasn’t modified, and the timestamp to reject replayed requests.
        </Text>
        <SignatureSamples />
      </Panel>
    </>
  );
}

function SigningSecret({ webhookId }: { webhookId: string }) {
  const reveal = useRevealSecret(webhookId);
  const rotation = useRotateSecret(webhookId);
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
        onConfirm={() => rotation.mutateAsync()}
      >
        The current secret stops working immediately. Until your application uses the new secret,
        its signature verification fails. Posthouse retries the events that it rejects.
      </ConfirmDialog>
      {rotation.data && !isConfirming && (
        <SecretDialog
          title="New signing secret"
          secret={rotation.data.signingSecret}
          fileName="posthouse-webhook-secret.txt"
          onStored={handleSaved}
        >
          New deliveries are already signed with this secret. Update your application now.
        </SecretDialog>
      )}
    </>
  );
}
