"use client";

import { Button, Text } from "@mantine/core";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { useCreateWebhook } from "#app/console/(pages)/webhooks/queries.ts";
import { WebhookForm } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { deleteDraft } from "#app/console/ui/form/drafts.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";

const LIST = "/console/webhooks";

export function NewWebhook() {
  const router = useRouter();
  const creation = useCreateWebhook();
  return (
    <>
      <Breadcrumbs trail={[{ label: "Webhooks", href: LIST }]} />
      <PageHeader
        title="Create webhook"
        description="The webhook receives events that occur after you create it."
        help="webhooks"
      />
      <Panel>
        <WebhookForm
          initial={{ endpoint: "", events: [] }}
          submitLabel="Create webhook"
          draft="new-webhook"
          send={creation.mutateAsync}
          aside={
            <Button
              component={Link}
              href={LIST}
              variant="default"
              onClick={() => deleteDraft("new-webhook")}
            >
              Cancel
            </Button>
          }
        />
      </Panel>
      {creation.data && (
        <SecretDialog
          title="Signing secret"
          secret={creation.data.signingSecret}
          fileName="posthouse-webhook-secret.txt"
          onStored={() => router.replace(`${LIST}/${creation.data.id}?tab=signing`)}
        >
          <Text>
            Use this secret to verify that events come from Posthouse. Keep it safe: anyone with the
            secret can forge events.
          </Text>
        </SecretDialog>
      )}
    </>
  );
}
