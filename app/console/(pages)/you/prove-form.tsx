"use client";

import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";

import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { notOfAField, PasswordField } from "./password-field.tsx";
import { type Factors, proofByPasskey, type Shown } from "./queries.ts";

type Way = "code" | "passkey" | "recovery_code";

const WAYS: Record<Way, string> = {
  code: "Use a code of the app instead",
  passkey: "Use a passkey instead",
  recovery_code: "Use a recovery code instead",
};

/**
 * Asks for the password and a factor, of those that the person has.
 *
 * @param verb what the button does
 */
export function ProveForm({
  factors,
  verb,
  isDangerous = false,
  isPending,
  error,
  onShown,
  onClose,
  children,
}: {
  factors: Factors;
  verb: string;
  isDangerous?: boolean;
  isPending: boolean;
  error: Error | null;
  onShown: (shown: Shown) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const ways = waysOf(factors);
  const [way, setWay] = useState<Way>(ways[0] ?? "recovery_code");
  const [failure, setFailure] = useState<Error | null>(null);

  async function show(form: FormData) {
    setFailure(null);
    try {
      const proof = way === "passkey" ? await proofByPasskey() : { [way]: textOf(form, "code") };
      onShown({ current_password: textOf(form, "password"), proof });
    } catch (error) {
      setFailure(error as Error);
    }
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isPending) void show(new FormData(event.currentTarget));
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>{children}</div>
        <PasswordField error={error} />
        <FactorField way={way} error={error} />
        <OtherWays ways={ways.filter((other) => other !== way)} onChoose={setWay} />
        <FormProblem
          error={failure ?? (way === "passkey" ? wordsOfPasskey(error) : notOfAField(error))}
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

function waysOf(factors: Factors): Way[] {
  const hasPasskey = factors.passkeys.length > 0 && factors.passkeys_possible;
  return [
    ...(factors.totp ? (["code"] as const) : []),
    ...(hasPasskey ? (["passkey"] as const) : []),
    ...(factors.recovery_codes_left > 0 ? (["recovery_code"] as const) : []),
  ];
}

function FactorField({ way, error }: { way: Way; error: Error | null }) {
  if (way === "passkey")
    return (
      <Text size="sm" c="dimmed">
        Your browser asks for one of your passkeys next.
      </Text>
    );
  const isOfApp = way === "code";
  return (
    <TextInput
      key={way}
      name="code"
      label={isOfApp ? "Code of the app" : "Recovery code"}
      autoComplete={isOfApp ? "one-time-code" : "off"}
      inputMode={isOfApp ? "numeric" : "text"}
      spellCheck={false}
      maxLength={40}
      error={problemOfField(error, "code", "This")}
      required
      withAsterisk={false}
    />
  );
}

function OtherWays({ ways, onChoose }: { ways: Way[]; onChoose: (way: Way) => void }) {
  if (ways.length === 0) return null;
  return (
    <Group gap="md">
      {ways.map((way) => (
        <Anchor key={way} component="button" type="button" size="sm" onClick={() => onChoose(way)}>
          {WAYS[way]}
        </Anchor>
      ))}
    </Group>
  );
}

/** Without a field for a code, what is said of it belongs to the form. */
const wordsOfPasskey = (error: Error | null) =>
  error?.message.startsWith("current_password: ") ? null : error;
