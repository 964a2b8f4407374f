import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { type SubmitEvent, useState } from "react";

import { type Area, ConsoleError } from "#app/console/console-client.ts";
import { signWithPasskey } from "#app/console/passkeys.ts";
import { type AskedFactors, useShowFactor } from "#app/console/session.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { formText } from "#app/console/ui/form/form-text.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { useTexts } from "#app/console/ui/texts.tsx";

type FactorKind = "code" | "passkey" | "recovery";

/**
 * The second step of signing in: a passkey, an authenticator code, or a recovery code.
 *
 * @param onRestart goes back to the password, for example when this step has expired
 */
export function SecondFactorStep({
  asked,
  area = "console",
  onSignedIn,
  onRestart,
}: {
  asked: AskedFactors;
  area?: Area;
  onSignedIn: () => void;
  onRestart: () => void;
}) {
  const text = useTexts();
  const submit = useShowFactor(area);
  const [kind, setKind] = useState<FactorKind>(
    asked.totp ? "code" : asked.passkey ? "passkey" : "recovery",
  );
  const [failure, setFailure] = useState<Error | null>(null);
  const isExpired = submit.error instanceof ConsoleError && submit.error.reason === "not_signed_in";
  const isBusy = submit.isPending || submit.isSuccess;

  function choose(next: FactorKind) {
    submit.reset();
    setFailure(null);
    setKind(next);
  }

  async function submitPasskey(options: NonNullable<AskedFactors["passkey"]>) {
    setFailure(null);
    try {
      submit.mutate({ passkey: await signWithPasskey(options) }, { onSuccess: onSignedIn });
    } catch (error) {
      setFailure(error as Error);
    }
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const code = formText(new FormData(event.currentTarget), "code");
    const proof = kind === "recovery" ? { recoveryCode: code } : { code };
    submit.mutate(proof, { onSuccess: onSignedIn });
  }

  if (isExpired)
    return (
      <Stack gap="md">
        <Text role="alert">{text("factor.expired")}</Text>
        <Button onClick={onRestart} data-autofocus>
          {text("signInAgain")}
        </Button>
      </Stack>
    );
  return (
    <Stack gap="md">
      {kind === "passkey" && asked.passkey ? (
        <>
          <Text c="dimmed">{text("factor.passkey.use")}</Text>
          <FormError error={failure ?? submit.error} />
          <Button
            size="md"
            leftSection={<IconFingerprint size={16} />}
            aria-busy={isBusy}
            onClick={() => void submitPasskey(asked.passkey!)}
          >
            {text("factor.passkey.button")}
          </Button>
        </>
      ) : (
        <form onSubmit={handleSubmit} method="post">
          <Stack gap="md">
            <FactorCodeField key={kind} isRecovery={kind === "recovery"} />
            <FormError error={submit.error} />
            <Button type="submit" size="md" aria-busy={isBusy}>
              {text("continue")}
            </Button>
          </Stack>
        </form>
      )}
      <OtherFactors asked={asked} kind={kind} onChoose={choose} onBack={onRestart} />
    </Stack>
  );
}

function FactorCodeField({ isRecovery }: { isRecovery: boolean }) {
  const text = useTexts();
  const common = { name: "code", required: true, withAsterisk: false, autoFocus: true } as const;
  if (isRecovery)
    return (
      <TextInput
        {...common}
        label={text("factor.recovery")}
        description={text("factor.recovery.hint")}
        {...VERBATIM}
        maxLength={40}
      />
    );
  return (
    <TextInput
      {...common}
      label={text("code")}
      description={text("factor.code.hint")}
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={10}
    />
  );
}

type OtherFactorsProps = {
  asked: AskedFactors;
  kind: FactorKind;
  onChoose: (kind: FactorKind) => void;
  onBack: () => void;
};

function OtherFactors({ asked, kind, onChoose, onBack }: OtherFactorsProps) {
  const text = useTexts();
  const options: { kind: FactorKind; label: string; isAvailable: boolean }[] = [
    { kind: "passkey", label: text("factor.other.passkey"), isAvailable: asked.passkey !== null },
    { kind: "code", label: text("factor.step.code"), isAvailable: asked.totp },
    { kind: "recovery", label: text("factor.step.recovery"), isAvailable: asked.recoveryCode },
  ];
  return (
    <Stack gap={6} align="flex-start">
      {options
        .filter((option) => option.isAvailable && option.kind !== kind)
        .map((option) => (
          <Anchor
            key={option.kind}
            component="button"
            type="button"
            size="sm"
            onClick={() => onChoose(option.kind)}
          >
            {option.label}
          </Anchor>
        ))}
      <Anchor component="button" type="button" size="sm" c="dimmed" onClick={onBack}>
        {text("factor.step.password")}
      </Anchor>
    </Stack>
  );
}
