"use client";

import { Stack, TextInput } from "@mantine/core";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { MailFilterForm } from "./mail-filter-form.tsx";
import { type CompanySettings, useChangeSettings } from "./queries.ts";

export function CompanySettingsTab({ settings }: { settings: CompanySettings }) {
  return (
    <Stack gap="md">
      <Panel title="Company">
        <CompanyNameForm name={settings.name} />
      </Panel>
      <Panel title="Mail filtering">
        <MailFilterForm settings={settings} />
      </Panel>
    </Stack>
  );
}

function CompanyNameForm({ name }: { name: string }) {
  const change = useChangeSettings();
  const form = useForm({
    initialValues: { name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: "company-name",
    send: change.mutateAsync,
    onDone: () => toast("Company name saved"),
  });

  return (
    <Form
      form={form}
      maxWidth={400}
      actions={
        <div>
          <SubmitButton form={form}>Save name</SubmitButton>
        </div>
      }
    >
      <TextInput
        {...form.field("name")}
        description="Shown in the console and in emails from Posthouse."
        autoComplete="organization"
      />
    </Form>
  );
}
