"use client";

import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { QrCode } from "#app/console/ui/qr-code.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { notOfAField, PasswordField } from "./password-field.tsx";
import { type TotpSetUp, useConfirmTotp, useFresh, useStartTotp } from "./queries.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** Password, QR code, a code of the app, and the recovery codes that come with a first factor. */
export function AddTotp({ email, onClose }: { email: string; onClose: () => void }) {
  const start = useStartTotp();
  const [codes, setCodes] = useState<string[] | null>(null);
  const fresh = useFresh();

  function finish() {
    onClose();
    void fresh();
    toast("Your authenticator app is set up.");
  }

  if (codes) return <RecoveryCodes codes={codes} onStored={finish} />;
  return (
    <Modal opened onClose={onClose} title="Set up an authenticator app">
      {start.data ? (
        <Confirm
          setUp={start.data}
          onDone={(codes) => (codes ? setCodes(codes) : finish())}
          onClose={onClose}
        />
      ) : (
        <form
          method="post"
          onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
            event.preventDefault();
            if (!start.isPending)
              start.mutate(textOf(new FormData(event.currentTarget), "password"));
          }}
        >
          <Stack gap="md">
            <PasswordField email={email} error={start.error} />
            <FormProblem error={notOfAField(start.error)} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" aria-busy={start.isPending}>
                Continue
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function Confirm({
  setUp,
  onDone,
  onClose,
}: {
  setUp: TotpSetUp;
  onDone: (codes: string[] | null) => void;
  onClose: () => void;
}) {
  const confirm = useConfirmTotp();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (confirm.isPending) return;
    const code = textOf(new FormData(event.currentTarget), "code");
    confirm.mutate(code, { onSuccess: ({ recovery_codes }) => onDone(recovery_codes) });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <Text>Scan this with the app, or type the key into it.</Text>
        <Group justify="center">
          <QrCode qr={setUp.qr} url={setUp.url} label="QR code for your authenticator app" />
        </Group>
        <div>
          <Text size="sm" fw={500}>
            Key
          </Text>
          <Mono value={setUp.secret} what="key" />
          <Text size="sm" c="dimmed">
            On your telephone?{" "}
            <Anchor href={setUp.url} underline="always">
              Open the app
            </Anchor>
          </Text>
        </div>
        <TextInput
          name="code"
          label="Code"
          description="The six digits that the app shows now."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          error={problemOfField(confirm.error, "code", "This")}
          required
          withAsterisk={false}
          data-autofocus
        />
        <FormProblem error={notOfAField(confirm.error)} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={confirm.isPending}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
