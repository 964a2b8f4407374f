"use client";

import { Anchor, PasswordInput, type PasswordInputProps, Stack, Text } from "@mantine/core";
import { createContext, useContext, useState } from "react";

import { ProviderWindowButton } from "#app/console/single-sign-on/provider-window-button.tsx";
import type { StartAtProvider } from "#app/console/single-sign-on/queries.ts";
import type { Check } from "#app/console/ui/form/checks.ts";

/** What the user enters to verify their identity; null once the identity provider has verified it instead. */
export type OwnPassword = string | null;

export const passwordGiven: Check<OwnPassword, unknown> = (password) =>
  password === "" ? "is required" : null;

const Confirmation = createContext<StartAtProvider | null>(null);

/** Lets `PasswordField` offer the identity provider instead of the password; null for only the password. */
export const ConfirmationProvider = Confirmation.Provider;

type OwnPasswordFieldProps = Omit<PasswordInputProps, "value" | "onChange"> & {
  value: OwnPassword;
  onChange: (value: unknown) => void;
};

/**
 * Asks for the password again, so that an unlocked browser alone can't weaken the sign-in. Users of single sign-on may not
 * know theirs, and can sign in at the identity provider again.
 */
export function PasswordField({
  email,
  label = "Your password",
  field,
}: {
  email?: string;
  label?: string;
  field: OwnPasswordFieldProps;
}) {
  const start = useContext(Confirmation);
  const [usesPassword, setUsesPassword] = useState(start === null);
  if (!usesPassword && start !== null)
    return (
      <IdentityConfirmation
        start={start}
        isConfirmed={field.value === null && !field.error}
        isMissing={Boolean(field.error)}
        onConfirmed={() => field.onChange(null)}
        onUsePassword={() => {
          field.onChange("");
          setUsesPassword(true);
        }}
      />
    );
  return (
    <>
      {email !== undefined && (
        <input name="username" autoComplete="username" defaultValue={email} hidden />
      )}
      <PasswordInput
        {...field}
        value={field.value ?? ""}
        label={label}
        autoComplete="current-password"
        data-autofocus
      />
    </>
  );
}

function IdentityConfirmation({
  start,
  isConfirmed,
  isMissing,
  onConfirmed,
  onUsePassword,
}: {
  start: StartAtProvider;
  isConfirmed: boolean;
  isMissing: boolean;
  onConfirmed: () => void;
  onUsePassword: () => void;
}) {
  if (isConfirmed) return <Text role="status">You’ve verified it’s you with single sign-on.</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text>Verify it’s you by signing in to your company’s identity provider again.</Text>
      {isMissing && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          Verify it’s you to continue.
        </Text>
      )}
      <ProviderWindowButton start={start} onSignedIn={onConfirmed} />
      <Anchor component="button" type="button" size="sm" onClick={onUsePassword}>
        Use your password instead
      </Anchor>
    </Stack>
  );
}
