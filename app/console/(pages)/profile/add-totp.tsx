"use client";

import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { CopyableValue } from "#app/console/ui/copyable-value.tsx";
import { QrCode } from "#app/console/ui/qr-code.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { formLevelError, PasswordField } from "./password-field.tsx";
import { type TotpSetup, useConfirmTotp, useRefreshProfile, useStartTotp } from "./queries.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function AddTotp({ email, onClose }: { email: string; onClose: () => void }) {
  const start = useStartTotp();
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = useRefreshProfile();

  function finish() {
    onClose();
    void refresh();
    toast("Authenticator app added");
  }

  if (codes) return <RecoveryCodesDialog codes={codes} onSaved={finish} />;
  return (
    <Modal opened onClose={onClose} title="Set up an authenticator app">
      {start.data ? (
        <ConfirmTotp
          setup={start.data}
          onDone={(codes) => (codes ? setCodes(codes) : finish())}
          onClose={onClose}
        />
      ) : (
        <form
          method="post"
          onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
            event.preventDefault();
            if (!start.isPending)
              start.mutate(formText(new FormData(event.currentTarget), "password"));
          }}
        >
          <Stack gap="md">
            <PasswordField email={email} error={start.error} />
            <FormError error={formLevelError(start.error)} />
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

function ConfirmTotp({
  setup,
  onDone,
  onClose,
}: {
  setup: TotpSetup;
  onDone: (codes: string[] | null) => void;
  onClose: () => void;
}) {
  const confirm = useConfirmTotp();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (confirm.isPending) return;
    const code = formText(new FormData(event.currentTarget), "code");
    confirm.mutate(code, { onSuccess: ({ recovery_codes }) => onDone(recovery_codes) });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <Text>Scan the QR code with your app, or enter the key.</Text>
        <Group justify="center">
          <QrCode qr={setup.qr} url={setup.url} label="QR code for your authenticator app" />
        </Group>
        <div>
          <Text size="sm" fw={500}>
            Key
          </Text>
          <CopyableValue value={setup.secret} label="key" />
          <Text size="sm" c="dimmed">
            On your phone?{" "}
            <Anchor href={setup.url} underline="always">
              Open the app
            </Anchor>
          </Text>
        </div>
        <TextInput
          name="code"
          label="Code"
          description="The six-digit code your app shows."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          error={fieldError(confirm.error, "code", "Code")}
          required
          withAsterisk={false}
          data-autofocus
        />
        <FormError error={formLevelError(confirm.error)} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={confirm.isPending}>
            Verify code
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
