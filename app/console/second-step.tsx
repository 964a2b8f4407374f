"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { type SubmitEvent, useState } from "react";

import { ConsoleError } from "./console-client.ts";
import { signWithPasskey } from "./passkeys.ts";
import { type AskedFactors, useShowFactor } from "./session-queries.ts";
import { FormProblem } from "./ui/form-problem.tsx";
import { textOf } from "./ui/text-of.ts";

type Way = "code" | "passkey" | "recovery";

/**
 * The second step of signing in: a code of the app, a passkey, or a recovery code for the day when both
 * are lost.
 *
 * @param onOver the step has taken too long: the password is asked for once more
 */
export function SecondStep({
  asked,
  onSignedIn,
  onOver,
}: {
  asked: AskedFactors;
  onSignedIn: () => void;
  onOver: () => void;
}) {
  const show = useShowFactor();
  const [way, setWay] = useState<Way>(asked.totp ? "code" : asked.passkey ? "passkey" : "recovery");
  const [failure, setFailure] = useState<Error | null>(null);
  const isOver = show.error instanceof ConsoleError && show.error.reason === "not_signed_in";
  const isBusy = show.isPending || show.isSuccess;

  function choose(next: Way) {
    show.reset();
    setFailure(null);
    setWay(next);
  }

  async function signAndShow(options: NonNullable<AskedFactors["passkey"]>) {
    setFailure(null);
    try {
      show.mutate({ passkey: await signWithPasskey(options) }, { onSuccess: onSignedIn });
    } catch (error) {
      setFailure(error as Error);
    }
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const code = textOf(new FormData(event.currentTarget), "code");
    const proof = way === "recovery" ? { recovery_code: code } : { code };
    show.mutate(proof, { onSuccess: onSignedIn });
  }

  if (isOver)
    return (
      <Stack gap="md">
        <Text role="alert">That took too long, or there were too many wrong codes.</Text>
        <Button onClick={onOver} data-autofocus>
          Sign in once more
        </Button>
      </Stack>
    );
  return (
    <Stack gap="md">
      {way === "passkey" && asked.passkey ? (
        <>
          <Text c="dimmed">Confirm with one of your passkeys that it is you.</Text>
          <FormProblem error={failure ?? show.error} />
          <Button
            size="md"
            leftSection={<IconFingerprint size={16} />}
            aria-busy={isBusy}
            onClick={() => void signAndShow(asked.passkey!)}
          >
            Use a passkey
          </Button>
        </>
      ) : (
        <form onSubmit={handleSubmit} method="post">
          <Stack gap="md">
            <CodeField key={way} isRecovery={way === "recovery"} />
            <FormProblem error={show.error} />
            <Button type="submit" size="md" aria-busy={isBusy}>
              Continue
            </Button>
          </Stack>
        </form>
      )}
      <OtherWays asked={asked} way={way} onChoose={choose} onBack={onOver} />
    </Stack>
  );
}

function CodeField({ isRecovery }: { isRecovery: boolean }) {
  const common = { name: "code", required: true, withAsterisk: false, autoFocus: true } as const;
  if (isRecovery)
    return (
      <TextInput
        {...common}
        label="Recovery code"
        description="One of the ten that you stored. Each works once."
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={40}
      />
    );
  return (
    <TextInput
      {...common}
      label="Code"
      description="The six digits that your authenticator app shows."
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={10}
    />
  );
}

function OtherWays({
  asked,
  way,
  onChoose,
  onBack,
}: {
  asked: AskedFactors;
  way: Way;
  onChoose: (way: Way) => void;
  onBack: () => void;
}) {
  const ways: { way: Way; label: string; isThere: boolean }[] = [
    { way: "passkey", label: "Use a passkey instead", isThere: asked.passkey !== null },
    { way: "code", label: "Use your authenticator app", isThere: asked.totp },
    { way: "recovery", label: "Use a recovery code", isThere: asked.recovery_code },
  ];
  return (
    <Stack gap={6} align="flex-start">
      {ways
        .filter((other) => other.isThere && other.way !== way)
        .map((other) => (
          <Anchor
            key={other.way}
            component="button"
            type="button"
            size="sm"
            onClick={() => onChoose(other.way)}
          >
            {other.label}
          </Anchor>
        ))}
      <Anchor component="button" type="button" size="sm" c="dimmed" onClick={onBack}>
        Back to the password
      </Anchor>
    </Stack>
  );
}
