"use client";

import {
  Anchor,
  Group,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { createContext, type ReactNode, useContext, useState } from "react";

import { ProviderWindowButton } from "#app/console/single-sign-on/buttons.tsx";
import type { StartAtProvider } from "#app/console/single-sign-on/queries.ts";
import { type Check, required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import {
  type Factors,
  type IdentityProof,
  type OwnPassword,
  toPasswordBody,
  useSignPasskeyProof,
} from "./queries.ts";

type FactorKind = "code" | "passkey" | "recoveryCode";

const SWITCH_LABELS: Record<FactorKind, string> = {
  code: "Use your authenticator app instead",
  passkey: "Use a passkey instead",
  recoveryCode: "Use a recovery code instead",
};

/** Asks for the password, and for one of the user's second factors if there are any. */
export function ConfirmIdentityForm({
  factors,
  verb,
  isDangerous = false,
  send,
  onDone,
  onClose,
  children,
}: {
  factors: Factors;
  verb: string;
  isDangerous?: boolean;
  send: (proof: IdentityProof) => Promise<unknown>;
  onDone?: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const signPasskeyProof = useSignPasskeyProof();
  const kinds = availableFactors(factors);
  const [kind, setKind] = useState<FactorKind>(kinds[0] ?? "recoveryCode");
  // A passkey has no field, so errors about it belong to the form.
  const hasFactor = kinds.length > 0;
  const isTyped = hasFactor && kind !== "passkey";
  const form = useForm({
    initialValues: { currentPassword: "", code: "" },
    labels: { currentPassword: "Password", ...(isTyped && { code: "Code" }) },
    checks: { currentPassword: passwordGiven, ...(isTyped && { code: required }) },
    draft: null,
    async send({ currentPassword, code }) {
      const password = toPasswordBody(currentPassword);
      if (!hasFactor) return send(password as IdentityProof);
      const proof = isTyped ? { [kind]: code } : await signPasskeyProof();
      return send({ ...password, proof });
    },
    within: "proof",
    ...(onDone && { onDone }),
    clearsOnDone: true,
  });

  function choose(other: FactorKind) {
    form.set("code", "");
    setKind(other);
  }

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose} isDangerous={isDangerous}>
          {verb}
        </DialogActions>
      }
    >
      <div>{children}</div>
      <PasswordField field={form.field("currentPassword")} />
      {hasFactor && <FactorField kind={kind} field={form.field("code")} />}
      <FactorSwitcher kinds={kinds.filter((other) => other !== kind)} onChoose={choose} />
    </Form>
  );
}

function availableFactors(factors: Factors): FactorKind[] {
  const hasPasskey = factors.passkeys.length > 0 && factors.passkeysPossible;
  return [
    ...(factors.totp ? (["code"] as const) : []),
    ...(hasPasskey ? (["passkey"] as const) : []),
    ...(factors.recoveryCodesLeft > 0 ? (["recoveryCode"] as const) : []),
  ];
}

function FactorField({ kind, field }: { kind: FactorKind; field: TextInputProps }) {
  if (kind === "passkey")
    return (
      <Text size="sm" c="dimmed">
        Your browser will ask for your passkey.
      </Text>
    );
  const isApp = kind === "code";
  return (
    <TextInput
      key={kind}
      {...field}
      label={isApp ? "Authenticator code" : "Recovery code"}
      autoComplete={isApp ? "one-time-code" : "off"}
      inputMode={isApp ? "numeric" : "text"}
      spellCheck={false}
      maxLength={40}
    />
  );
}

function FactorSwitcher({
  kinds,
  onChoose,
}: {
  kinds: FactorKind[];
  onChoose: (kind: FactorKind) => void;
}) {
  if (kinds.length === 0) return null;
  return (
    <Group gap="md">
      {kinds.map((kind) => (
        <Anchor
          key={kind}
          component="button"
          type="button"
          size="sm"
          onClick={() => onChoose(kind)}
        >
          {SWITCH_LABELS[kind]}
        </Anchor>
      ))}
    </Group>
  );
}

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
