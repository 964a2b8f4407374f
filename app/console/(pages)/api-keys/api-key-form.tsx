"use client";

import { Anchor, Box, Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";

import type { InputOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { deleteDraft } from "#app/console/ui/form/drafts.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { AllowListField, parseAllowList } from "./allow-list-field.tsx";
import { API_KEYS, type KeyChoices, permissions } from "./queries.ts";
import { SendEmailSamples } from "./send-email-samples.tsx";

type KeyFields = InputOf<"apiKeys.create">["body"];

const NONE = {
  name: "",
  permission: "sending_access" as KeyFields["permission"],
  domainId: "",
  allowedAddresses: "",
};

function ApiKeyForm({
  choices,
  send,
  aside,
}: {
  choices: KeyChoices;
  send: (fields: KeyFields) => Promise<unknown>;
  aside: ReactNode;
}) {
  const form = useForm({
    initialValues: NONE,
    labels: {
      name: "Name",
      permission: "Permission",
      domainId: "Domain",
      allowedAddresses: "Allowed IP addresses",
    },
    checks: { name: required },
    draft: "new-api-key",
    send: ({ name, permission, domainId, allowedAddresses }) =>
      send({
        name,
        permission,
        domainId: (permission === "sending_access" && domainId) || null,
        allowedAddresses: parseAllowList(allowedAddresses),
      }),
  });

  return (
    <Box maw={520}>
      <Form
        form={form}
        gap="lg"
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>Create API key</SubmitButton>
            {aside}
          </Group>
        }
      >
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

type AccessFields = Pick<typeof NONE, "permission" | "domainId" | "allowedAddresses">;

/** What a key can do, and from where. */
export function KeyAccessFields({
  form,
  permissions: offered,
  choices,
}: {
  form: Pick<ReturnType<typeof useForm<AccessFields, unknown>>, "values" | "field" | "set">;
  permissions: readonly AccessFields["permission"][];
  choices: KeyChoices;
}) {
  const { permission, domainId } = form.values;
  return (
    <>
      <RadioList
        label="Permission"
        choices={offered.map((value) => ({ value, ...permissions[value] }))}
        value={permission}
        onChange={(chosen) => form.set("permission", chosen)}
      />
      {permission === "sending_access" && choices.domains.length > 0 && (
        <NativeSelect
          {...form.field("domainId")}
          description={
            domainId === ""
              ? "The key can send from all your verified domains, including ones created later."
              : "The key can only send from this domain."
          }
          size="md"
          data={[
            { value: "", label: "All domains" },
            ...choices.domains.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <AllowListField field={form.field("allowedAddresses")} choices={choices} />
    </>
  );
}

/** Shows the company's allow-list, which restricts all of its API keys, if there is one. */
export function CompanyAllowList() {
  const choices = useRead("apiKeys.getChoices", {});
  const canChange = usePrivileges().has("manage_settings");
  const list = choices.data?.companyAddresses ?? [];
  if (list.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="md">
      Your company’s API keys only work from {summarize(list)}.{" "}
      {canChange && (
        <Anchor component={Link} href="/console/settings?tab=access" inherit underline="always">
          Change in settings
        </Anchor>
      )}
    </Text>
  );
}

const SHOWN = 3;

const summarize = (list: string[]) =>
  list.length <= SHOWN + 1
    ? list.join(", ")
    : `${list.slice(0, SHOWN).join(", ")} and ${list.length - SHOWN} more`;

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
          {(choices) => (
            <ApiKeyForm
              choices={choices}
              send={(body) => creation.run({ body })}
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
