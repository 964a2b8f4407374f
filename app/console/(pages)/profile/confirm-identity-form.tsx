"use client";

import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { formLevelError, PasswordField } from "./password-field.tsx";
import { type Factors, signPasskeyProof, type IdentityProof } from "./queries.ts";

type FactorKind = "code" | "passkey" | "recovery_code";

const SWITCH_LABELS: Record<FactorKind, string> = {
  code: "Use your authenticator app instead",
  passkey: "Use a passkey instead",
  recovery_code: "Use a recovery code instead",
};

/** Asks for the password and one of the admin's second factors. */
export function ConfirmIdentityForm({
  factors,
  verb,
  isDangerous = false,
  isPending,
  error,
  onConfirm,
  onClose,
  children,
}: {
  factors: Factors;
  verb: string;
  isDangerous?: boolean;
  isPending: boolean;
  error: Error | null;
  onConfirm: (proof: IdentityProof) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const kinds = availableFactors(factors);
  const [kind, setKind] = useState<FactorKind>(kinds[0] ?? "recovery_code");
  const [failure, setFailure] = useState<Error | null>(null);

  async function confirm(form: FormData) {
    setFailure(null);
    try {
      const proof =
        kind === "passkey" ? await signPasskeyProof() : { [kind]: formText(form, "code") };
      onConfirm({ current_password: formText(form, "password"), proof });
    } catch (error) {
      setFailure(error as Error);
    }
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isPending) void confirm(new FormData(event.currentTarget));
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>{children}</div>
        <PasswordField error={error} />
        <FactorField kind={kind} error={error} />
        <FactorSwitcher kinds={kinds.filter((other) => other !== kind)} onChoose={setKind} />
        <FormError
          error={failure ?? (kind === "passkey" ? passkeyError(error) : formLevelError(error))}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" {...(isDangerous && { color: "red.8" })} aria-busy={isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
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

function FactorField({ kind, error }: { kind: FactorKind; error: Error | null }) {
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
      name="code"
      label={isApp ? "Authenticator code" : "Recovery code"}
      autoComplete={isApp ? "one-time-code" : "off"}
      inputMode={isApp ? "numeric" : "text"}
      spellCheck={false}
      maxLength={40}
      error={fieldError(error, "code", "Code")}
      required
      withAsterisk={false}
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

/** A passkey has no code field, so errors about the code belong to the form. */
const passkeyError = (error: Error | null) =>
  error?.message.startsWith("current_password: ") ? null : error;
