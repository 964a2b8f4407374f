"use client";

import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { AllowListField } from "#app/console/(pages)/api-keys/allow-list-field.tsx";
import { parseAllowList } from "#app/console/(pages)/api-keys/allow-list.ts";
import {
  type ApiKeyDetail,
  keyChoicesQuery,
  useUpdateApiKey,
} from "#app/console/(pages)/api-keys/queries.ts";
import formClasses from "#app/console/(pages)/api-keys/api-key-form.module.css";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

export function ApiKeySettings({ apiKey }: { apiKey: ApiKeyDetail }) {
  return (
    <>
      <Panel title="Name">
        <ApiKeyNameForm apiKey={apiKey} />
      </Panel>
      <Panel title="Allow-list">
        <ApiKeyAllowListForm apiKey={apiKey} />
      </Panel>
    </>
  );
}

function ApiKeyNameForm({ apiKey }: { apiKey: ApiKeyDetail }) {
  const update = useUpdateApiKey(apiKey.id);
  const form = useForm({
    initialValues: { name: apiKey.name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: `api-key-name-${apiKey.id}`,
    send: update.mutateAsync,
    onDone: () => toast("API key renamed"),
  });

  return (
    <div className={formClasses.form}>
      <Form
        form={form}
        actions={
          <div>
            <SubmitButton form={form} variant="default">
              Rename key
            </SubmitButton>
          </div>
        }
      >
        <TextInput
          {...form.field("name")}
          label={undefined}
          aria-label="Name"
          maxLength={50}
          autoComplete="off"
        />
      </Form>
    </div>
  );
}

function ApiKeyAllowListForm({ apiKey }: { apiKey: ApiKeyDetail }) {
  const choices = useQuery(keyChoicesQuery);
  const update = useUpdateApiKey(apiKey.id);
  const form = useForm({
    initialValues: { allowedAddresses: apiKey.allowedAddresses.join("\n") },
    labels: { allowedAddresses: "Allowed IP addresses" },
    draft: `api-key-allow-list-${apiKey.id}`,
    send: ({ allowedAddresses }) =>
      update.mutateAsync({ allowedAddresses: parseAllowList(allowedAddresses) }),
    onDone: () => toast("Allow-list saved. It applies from the next request."),
  });

  return (
    <div className={formClasses.form}>
      <Form
        form={form}
        actions={
          <div>
            <SubmitButton form={form} variant="default">
              Save allow-list
            </SubmitButton>
          </div>
        }
      >
        <AllowListField field={form.field("allowedAddresses")} choices={choices.data} />
      </Form>
    </div>
  );
}
