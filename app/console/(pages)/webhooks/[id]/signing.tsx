"use client";

import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { SignatureSamples } from "#app/console/(pages)/webhooks/signature-samples.tsx";
import { useRevealSecret, useRotateSecret } from "#app/console/(pages)/webhooks/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";

/** The secret that signs a webhook's events, and what a receiver does with it. */
export function Signing({ webhookId }: { webhookId: string }) {
  return (
    <>
      <Panel title="Signing secret">
        <SigningSecret webhookId={webhookId} />
      </Panel>
      <Panel title="Check signatures">
        <Text mb="md">
          Anybody can post to your endpoint. The signature shows that an event comes from here and
          was not changed, and its time that nobody sends an old one again.
        </Text>
        <SignatureSamples />
      </Panel>
    </>
  );
}

function SigningSecret({ webhookId }: { webhookId: string }) {
  const reveal = useRevealSecret(webhookId);
  const rotation = useRotateSecret(webhookId);
  const [isAsking, question] = useDisclosure();

  function handleStored() {
    rotation.reset();
    reveal.reset();
  }

  return (
    <>
      {reveal.data ? (
        <Mono value={reveal.data.signing_secret} what="signing secret" />
      ) : (
        <Text c="dimmed">It is not shown until you ask: who has it can make events up.</Text>
      )}
      <Group gap="xs" mt="md">
        <Button
          variant="default"
          loading={reveal.isPending}
          onClick={() => (reveal.data ? reveal.reset() : reveal.mutate())}
        >
          {reveal.data ? "Hide" : "Reveal"}
        </Button>
        <Button variant="default" onClick={question.open}>
          Rotate
        </Button>
      </Group>
      <FormProblem error={reveal.error} />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={question.close}
        title="Rotate the signing secret"
        verb="Rotate secret"
        isPending={rotation.isPending}
        error={rotation.error}
        onConfirm={() => rotation.mutate(undefined, { onSuccess: question.close })}
      >
        The old secret signs nothing any more, from now on. Until your application has the new one,
        its signature check fails; events that it refuses meanwhile are tried again.
      </ConfirmDialog>
      {rotation.data && !isAsking && (
        <SecretDialog
          title="The new signing secret"
          secret={rotation.data.signing_secret}
          fileName="posthouse-webhook-secret.txt"
          onStored={handleStored}
        >
          Events are signed with it already. Give it to your application now.
        </SecretDialog>
      )}
    </>
  );
}
