import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { looksLikeAddress, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { type ConnectedProvider, SINGLE_SIGN_ON, useUpdateProvider } from "./queries.ts";

export function ProviderForm({ provider }: { provider: ConnectedProvider | null }) {
  const save = useChange("singleSignOn.save", {
    invalidates: SINGLE_SIGN_ON,
    success: "Identity provider saved. To test it, sign out and use single sign-on.",
  });
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
    send: (body) => save.run({ body }),
    stored: ({ issuer, clientId }) => ({ issuer, clientId, clientSecret: "" }),
  });
  // Only what the field doesn't show.
  const [failure, setFailure] = useState<Error | null>(null);
  const check = useMutation({
    mutationFn: (issuer: string) => change("singleSignOn.check", { body: { issuer } }),
    onMutate: () => setFailure(null),
    onError: (error) => setFailure(form.mark(error) ? null : error),
  });

  return (
    <Form
      form={form}
      maxWidth={480}
      actions={
        <>
          <ConnectionCheck data={check.data} error={failure} />
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

type CheckResult = { data: AnswerOf<"singleSignOn.check"> | undefined; error: Error | null };

function ConnectionCheck({ data, error }: CheckResult) {
  if (error) return <FormError error={error} />;
  if (!data) return null;
  return (
    <Text size="sm" role="status" style={{ overflowWrap: "anywhere" }}>
      Found the provider {data.issuer}. Admins sign in at {data.authorizationEndpoint}. The client
      ID and secret are checked when you sign in.
    </Text>
  );
}

/** Requires the provider, skips the second factor after it, unlinks admins, or removes it. */
export function ProviderActions({ provider }: { provider: ConnectedProvider }) {
  const { requiredForAdmins: isRequired, isSecondFactor: isFactor } = provider;
  const mayRemove = !isRequired && !provider.requiredForMailboxes;
  const mayRequire = isRequired || provider.isUsedNow;
  return (
    <Stack gap="md">
      {!mayRequire && (
        <Text c="dimmed">
          To require single sign-on, first sign in with it yourself to confirm that it works.
        </Text>
      )}
      <Group gap="xs">
        {mayRequire && <RequireProvider isRequired={isRequired} />}
        <SkipSecondFactor isFactor={isFactor} />
        {mayRemove && <RemoveProvider />}
      </Group>
      <UnlinkAdmin />
    </Stack>
  );
}

function RequireProvider({ isRequired }: { isRequired: boolean }) {
  const update = useUpdateProvider(
    isRequired
      ? "Single sign-on is now optional for admins"
      : "Single sign-on is now required for admins",
  );
  return (
    <ConfirmedButton
      label={isRequired ? "Make optional for admins" : "Require for admins"}
      title={
        isRequired
          ? "Make single sign-on optional for admins?"
          : "Require single sign-on for admins?"
      }
      isHarmless={isRequired}
      onConfirm={() => update.run({ body: { requiredForAdmins: !isRequired } })}
    >
      {isRequired
        ? "Admins can sign in with a password or a passkey again. Sessions that started with one work again too."
        : "Admins can then open this company only through the identity provider. Sessions that started with a password or a passkey stop working here, and work again if you make single sign-on optional. API keys and mailbox users aren’t affected. If the provider fails, the operator of this server can undo this with posthouse company allow-passwords."}
    </ConfirmedButton>
  );
}

function SkipSecondFactor({ isFactor }: { isFactor: boolean }) {
  const update = useUpdateProvider(
    isFactor
      ? "Posthouse asks for second factors after single sign-on"
      : "Posthouse no longer asks for second factors after single sign-on",
  );
  const short = isFactor ? "Ask for second factor" : "Skip second factor";
  const label = `${short} after single sign-on`;
  return (
    <ConfirmedButton
      label={label}
      confirmLabel={short}
      title={`${label}?`}
      isHarmless={isFactor}
      onConfirm={() => update.run({ body: { isSecondFactor: !isFactor } })}
    >
      {isFactor
        ? "Posthouse asks admins and mailbox users for their authenticator app or passkey after single sign-on."
        : "Posthouse stops asking for a second factor after single sign-on. Do this only if the provider asks for one itself."}
    </ConfirmedButton>
  );
}

function RemoveProvider() {
  const remove = useChange("singleSignOn.remove", {
    invalidates: SINGLE_SIGN_ON,
    success: "Identity provider removed",
  });
  return (
    <ConfirmedButton
      label="Remove provider"
      title="Remove identity provider?"
      color="var(--mantine-color-error)"
      onConfirm={() => remove.run({})}
    >
      This signs out all admins and mailbox users who signed in with the provider. To sign in again,
      admins need a password or a passkey, and mailbox users need their password. App passwords of
      mailbox users who have to set a new password stop working until they do.
    </ConfirmedButton>
  );
}

function UnlinkAdmin() {
  const unlink = useChange("singleSignOn.unlinkAdmin", {
    success: (_, { body }) => `${body.email} unlinked`,
  });
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Admin to unlink" },
    checks: { email: looksLikeAddress },
    draft: null,
    send: (body) => unlink.run({ body }),
    clearsOnDone: true,
  });
  return (
    <Form form={form} maxWidth={480} submit="Unlink admin" isSecondary>
      <TextInput
        {...form.field("email")}
        description="Use this if an admin’s account at the provider was deleted and created again. It ends the admin’s single sign-on sessions. The next sign-in links the new account."
        placeholder="ann@example.com"
        type="email"
        autoComplete="off"
      />
    </Form>
  );
}
