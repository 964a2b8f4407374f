"use client";

import { Button, Text } from "@mantine/core";
import { useRouter } from "next/navigation";

import { useSendTestEvent } from "#app/console/(pages)/webhooks/queries.ts";
import { WebhookForm } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { useChange } from "#app/console/ui/actions.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";

const LIST = "/console/webhooks";

export function NewWebhook() {
  const router = useRouter();
  const creation = useChange("webhooks.create", { invalidates: ["webhooks.list"] });
  const created = creation.answer;
  const test = useSendTestEvent((url) => router.replace(url));
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
          initial={{ endpoint: "", events: WEBHOOK_EVENT_TYPES }}
          submitLabel="Create webhook"
          draft="new-webhook"
          send={(body) => creation.run({ body })}
          cancelHref={LIST}
        />
      </Panel>
      {created && (
        <SecretDialog
          title="Signing secret"
          secret={created.signingSecret}
          fileName="posthouse-webhook-secret.txt"
          onStored={() => router.replace(`${LIST}/${created.id}?tab=signing`)}
          extraActions={
            <Button
              variant="default"
              aria-busy={test.isPending || test.answer !== undefined}
              onClick={() => test.start({ params: { id: created.id } })}
            >
              Send test event
            </Button>
          }
        >
          <Text>
            Use this secret to verify that events come from Posthouse. Keep it safe: anyone with the
            secret can forge events. You can reveal it again on the webhook’s Signing tab.
          </Text>
        </SecretDialog>
      )}
    </>
  );
}
