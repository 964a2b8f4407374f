"use client";

import { Box, Text, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import type { InputOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import {
  ACCESS_LABELS,
  type KeyAccessValues,
  KeyAccessFields,
  toAccess,
} from "./key-access-fields.tsx";
import { API_KEYS, type KeyChoices } from "./queries.ts";
import { SendEmailSamples } from "./send-email-samples.tsx";

type KeyFields = InputOf<"apiKeys.create">["body"];

const NONE: { name: string } & KeyAccessValues = {
  name: "",
  permission: "sending_access",
  domainId: "",
  allowedAddresses: "",
};

type ApiKeyFormProps = { choices: KeyChoices; send: (fields: KeyFields) => Promise<unknown> };

function ApiKeyForm({ choices, send }: ApiKeyFormProps) {
  const form = useForm({
    initialValues: NONE,
    labels: { name: "Name", ...ACCESS_LABELS },
    checks: { name: required },
    draft: "new-api-key",
    send: ({ name, ...access }) => send({ name, ...toAccess(access) }),
  });

  return (
    <Box maw={520}>
      <Form form={form} gap="lg" submit="Create API key" cancelHref={LIST}>
        <TextInput
          {...form.field("name")}
          description="The application that will use this key."
          placeholder="Shop"
          maxLength={50}
          autoComplete="off"
          autoFocus
        />
        <KeyAccessFields
          form={form}
          permissions={["sending_access", "full_access", "test"]}
          choices={choices}
        />
      </Form>
    </Box>
  );
}

const LIST = "/console/api-keys";

export function NewApiKey() {
  const router = useRouter();
  const choices = useRead("apiKeys.getChoices", {});
  const creation = useChange("apiKeys.create", { invalidates: API_KEYS });
  const created = creation.answer;
  const domainId = creation.variables?.body.domainId;
  return (
    <>
      <Breadcrumbs trail={[{ label: "API keys", href: LIST }]} />
      <PageHeader
        title="Create API key"
        description="The key has your privileges: it can’t do anything that you can’t."
      />
      <Panel>
        <QueryView query={choices} noun="your domains" skeleton={<SkeletonLines count={14} />}>
          {(choices) => <ApiKeyForm choices={choices} send={(body) => creation.run({ body })} />}
        </QueryView>
      </Panel>
      {created && (
        <SecretDialog
          title="Your API key"
          secret={created.token}
          fileName="posthouse-api-key.txt"
          onStored={() => router.replace(`${LIST}/${created.id}`)}
          footer={
            <div>
              <Text fw={600} mb="xs">
                Send your first email
              </Text>
              <SendEmailSamples
                token={created.token}
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
