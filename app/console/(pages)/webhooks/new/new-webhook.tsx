"use client";

import { Button, Text } from "@mantine/core";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { WebhookForm } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { useChange } from "#app/console/ui/actions.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { deleteDraft } from "#app/console/ui/form/drafts.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";

const LIST = "/console/webhooks";

export function NewWebhook() {
  const router = useRouter();
  const creation = useChange("webhooks.create", { invalidates: ["webhooks.list"] });
  const created = creation.answer;
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
          send={(body) => creation.run({ body })}
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
      {created && (
        <SecretDialog
          title="Signing secret"
          secret={created.signingSecret}
          fileName="posthouse-webhook-secret.txt"
          onStored={() => router.replace(`${LIST}/${created.id}?tab=signing`)}
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
