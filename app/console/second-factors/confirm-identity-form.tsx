"use client";

import { Anchor, Group, Text, TextInput, type TextInputProps } from "@mantine/core";
import { type ReactNode, useState } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions } from "#app/console/ui/form/dialog-actions.tsx";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { PasswordField, passwordGiven } from "./password-field.tsx";
import {
  type Factors,
  type IdentityProof,
  toPasswordBody,
  useSignPasskeyProof,
} from "./queries.ts";

type FactorKind = "code" | "passkey" | "recovery_code";

const SWITCH_LABELS: Record<FactorKind, string> = {
  code: "Use your authenticator app instead",
  passkey: "Use a passkey instead",
  recovery_code: "Use a recovery code instead",
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
  const [kind, setKind] = useState<FactorKind>(kinds[0] ?? "recovery_code");
  // A passkey has no field, so errors about it belong to the form.
  const hasFactor = kinds.length > 0;
  const isTyped = hasFactor && kind !== "passkey";
  const form = useForm({
    initialValues: { current_password: "", code: "" },
    labels: { current_password: "Password", ...(isTyped && { code: "Code" }) },
    checks: { current_password: passwordGiven, ...(isTyped && { code: required }) },
    draft: null,
    async send({ current_password, code }) {
      const password = toPasswordBody(current_password);
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
      <PasswordField field={form.field("current_password")} />
      {hasFactor && <FactorField kind={kind} field={form.field("code")} />}
      <FactorSwitcher kinds={kinds.filter((other) => other !== kind)} onChoose={choose} />
    </Form>
  );
}

function availableFactors(factors: Factors): FactorKind[] {
  const hasPasskey = factors.passkeys.length > 0 && factors.passkeys_possible;
  return [
    ...(factors.totp ? (["code"] as const) : []),
    ...(hasPasskey ? (["passkey"] as const) : []),
    ...(factors.recovery_codes_left > 0 ? (["recovery_code"] as const) : []),
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
