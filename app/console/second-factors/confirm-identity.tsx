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
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pageText, useTexts } from "#app/console/ui/texts.tsx";

import {
  type Factors,
  type IdentityProof,
  type OwnPassword,
  toPasswordBody,
  useSignPasskeyProof,
} from "./queries.ts";

type FactorKind = "code" | "passkey" | "recoveryCode";

const SWITCH_LABELS = {
  code: "factor.other.code",
  passkey: "factor.other.passkey",
  recoveryCode: "factor.other.recovery",
} as const;

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
  const text = useTexts();
  const signPasskeyProof = useSignPasskeyProof();
  const kinds = availableFactors(factors);
  const [kind, setKind] = useState<FactorKind>(kinds[0] ?? "recoveryCode");
  // A passkey has no field, so errors about it belong to the form.
  const hasFactor = kinds.length > 0;
  const isTyped = hasFactor && kind !== "passkey";
  const form = useForm({
    initialValues: { currentPassword: "", code: "" },
    labels: { currentPassword: text("password"), ...(isTyped && { code: text("code") }) },
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
    <Form form={form} submit={verb} onClose={onClose} isDangerous={isDangerous}>
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
  const text = useTexts();
  if (kind === "passkey")
    return (
      <Text size="sm" c="dimmed">
        {text("factor.passkey.asked")}
      </Text>
    );
  const isApp = kind === "code";
  return (
    <TextInput
      key={kind}
      {...field}
      label={text(isApp ? "factor.code" : "factor.recovery")}
      autoComplete={isApp ? "one-time-code" : "off"}
      inputMode={isApp ? "numeric" : "text"}
      spellCheck={false}
      maxLength={40}
    />
  );
}

type FactorSwitcherProps = { kinds: FactorKind[]; onChoose: (kind: FactorKind) => void };

function FactorSwitcher({ kinds, onChoose }: FactorSwitcherProps) {
  const text = useTexts();
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
          {text(SWITCH_LABELS[kind])}
        </Anchor>
      ))}
    </Group>
  );
}

export const passwordGiven: Check<OwnPassword, unknown> = (password) =>
  password === "" ? pageText("check.required") : null;

const Confirmation = createContext<StartAtProvider | null>(null);

/** Lets `PasswordField` offer the identity provider instead of the password; null for only the password. */
export const ConfirmationProvider = Confirmation.Provider;

type OwnPasswordFieldProps = Omit<PasswordInputProps, "value" | "onChange"> & {
  value: OwnPassword;
  onChange: (value: unknown) => void;
};

type PasswordFieldProps = { email?: string; label?: string; field: OwnPasswordFieldProps };

/**
 * Asks for the password again, so that an unlocked browser alone can't weaken the sign-in. Users of single sign-on may not
 * know theirs, and can sign in at the identity provider again.
 */
export function PasswordField({ email, label, field }: PasswordFieldProps) {
  const text = useTexts();
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
        label={label ?? text("identity.password")}
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
  const text = useTexts();
  if (isConfirmed) return <Text role="status">{text("identity.confirmed")}</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text>{text("identity.provider")}</Text>
      {isMissing && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {text("identity.missing")}
        </Text>
      )}
      <ProviderWindowButton start={start} onSignedIn={onConfirmed} />
      <Anchor component="button" type="button" size="sm" onClick={onUsePassword}>
        {text("identity.usePassword")}
      </Anchor>
    </Stack>
  );
}
