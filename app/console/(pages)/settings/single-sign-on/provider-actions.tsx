"use client";

import { Group, Stack, Text, TextInput } from "@mantine/core";

import { isEmail } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import {
  type ConnectedProvider,
  useRemoveProvider,
  useUnlinkAdmin,
  useUpdateProvider,
} from "./queries.ts";

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
      onConfirm={() => update.run({ requiredForAdmins: !isRequired })}
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
      onConfirm={() => update.run({ isSecondFactor: !isFactor })}
    >
      {isFactor
        ? "Posthouse asks admins and mailbox users for their authenticator app or passkey after single sign-on."
        : "Posthouse stops asking for a second factor after single sign-on. Do this only if the provider asks for one itself."}
    </ConfirmedButton>
  );
}

function RemoveProvider() {
  const remove = useRemoveProvider();
  return (
    <ConfirmedButton
      label="Remove provider"
      title="Remove identity provider?"
      color="var(--mantine-color-error)"
      onConfirm={() => remove.run()}
    >
      This signs out all admins and mailbox users who signed in with the provider. To sign in again,
      admins need a password or a passkey, and mailbox users need their password. App passwords of
      mailbox users who have to set a new password stop working until they do.
    </ConfirmedButton>
  );
}

function UnlinkAdmin() {
  const unlink = useUnlinkAdmin();
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Admin to unlink" },
    checks: { email: isEmail },
    draft: null,
    send: ({ email }) => unlink.run(email),
    clearsOnDone: true,
  });
  return (
    <Form
      form={form}
      maxWidth={480}
      actions={
        <div>
          <SubmitButton form={form} variant="default">
            Unlink admin
          </SubmitButton>
        </div>
      }
    >
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
