"use client";

import { Button, Group, PasswordInput, Text, TextInput } from "@mantine/core";

import { FormError } from "#app/console/ui/errors.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { type ConnectedProvider, useCheckProvider, useSaveProvider } from "./queries.ts";

export function ProviderForm({ provider }: { provider: ConnectedProvider | null }) {
  const save = useSaveProvider();
  const check = useCheckProvider();
  const form = useForm({
    initialValues: {
      issuer: provider?.issuer ?? "",
      clientId: provider?.clientId ?? "",
      clientSecret: "",
    },
    labels: { issuer: "Issuer URL", clientId: "Client ID", clientSecret: "Client secret" },
    checks: {
      issuer: required,
      clientId: required,
      ...(provider ? {} : { clientSecret: required }),
    },
    // It contains a secret.
    draft: null,
    send: (values) => save.run(values),
    stored: ({ issuer, clientId }) => ({ issuer, clientId, clientSecret: "" }),
  });

  return (
    <Form
      form={form}
      maxWidth={480}
      actions={
        <>
          <ConnectionCheck check={check} />
          <Group gap="xs">
            <SubmitButton form={form}>
              {provider ? "Save provider" : "Connect provider"}
            </SubmitButton>
            <Button
              variant="default"
              aria-busy={check.isPending}
              onClick={() => !check.isPending && check.mutate(form.values.issuer)}
            >
              Check connection
            </Button>
          </Group>
        </>
      }
    >
      <TextInput
        {...form.field("issuer")}
        description="Google: https://accounts.google.com. Microsoft Entra: https://login.microsoftonline.com/<tenant ID>/v2.0. Keycloak: https://<host>/realms/<realm>."
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput {...form.field("clientId")} autoComplete="off" spellCheck={false} />
      <PasswordInput
        {...form.field("clientSecret")}
        description={
          provider
            ? "Leave empty to keep the current secret."
            : "Stored encrypted, and never shown again."
        }
        autoComplete="off"
      />
    </Form>
  );
}

function ConnectionCheck({ check }: { check: ReturnType<typeof useCheckProvider> }) {
  if (check.error) return <FormError error={check.error} />;
  if (!check.data) return null;
  return (
    <Text size="sm" role="status" style={{ overflowWrap: "anywhere" }}>
      Found the provider {check.data.issuer}. Admins sign in at {check.data.authorizationEndpoint}.
      The client ID and secret are checked when you sign in.
    </Text>
  );
}
