"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { ApiKeyForm } from "#app/console/(pages)/api-keys/api-key-form.tsx";
import { keyChoicesQuery, useCreateApiKey } from "#app/console/(pages)/api-keys/queries.ts";
import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { deleteDraft } from "#app/console/ui/form/drafts.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";

const LIST = "/console/api-keys";

export function NewApiKey() {
  const router = useRouter();
  const choices = useQuery(keyChoicesQuery);
  const creation = useCreateApiKey();
  const domainId = creation.variables?.domainId;
  return (
    <>
      <Breadcrumbs trail={[{ label: "API keys", href: LIST }]} />
      <PageHeader
        title="Create API key"
        description="The key has your privileges: it can’t do anything that you can’t."
      />
      <Panel>
        <QueryView query={choices} noun="your domains" skeleton={<SkeletonLines count={14} />}>
          {(choices) => (
            <ApiKeyForm
              choices={choices}
              send={creation.mutateAsync}
              aside={
                <Button
                  component={Link}
                  href={LIST}
                  variant="default"
                  onClick={() => deleteDraft("new-api-key")}
                >
                  Cancel
                </Button>
              }
            />
          )}
        </QueryView>
      </Panel>
      {creation.data && (
        <SecretDialog
          title="Your API key"
          secret={creation.data.token}
          fileName="posthouse-api-key.txt"
          onStored={() => router.replace(`${LIST}/${creation.data.id}`)}
          footer={
            <div>
              <Text fw={600} mb="xs">
                Send your first email
              </Text>
              <SendEmailSamples
                token={creation.data.token}
                domain={choices.data?.domains.find(({ id }) => id === domainId)?.name}
              />
            </div>
          }
        >
          <Text>
            You won’t be able to see it again. Copy or download it now, and keep it secret: anyone
            with this key can send emails as your company.
          </Text>
        </SecretDialog>
      )}
    </>
  );
}
