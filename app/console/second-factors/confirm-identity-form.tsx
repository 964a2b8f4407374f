"use client";

import { Anchor, Group, Text, TextInput, type TextInputProps } from "@mantine/core";
import { type ReactNode, useState } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { PasswordField, passwordGiven } from "./password-field.tsx";
import {
  type Factors,
  type IdentityProof,
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
