"use client";

import { Anchor, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import { CopyableValue, QrCode } from "#app/console/ui/code.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { PasswordField, passwordGiven } from "./password-field.tsx";
import { type TotpSetup, useConfirmTotp, useRefreshFactors, useStartTotp } from "./queries.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function AddTotp({ email, onClose }: { email: string; onClose: () => void }) {
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = useRefreshFactors();

  function finish() {
    onClose();
    void refresh();
    toast("Authenticator app added");
  }

  if (codes) return <RecoveryCodesDialog codes={codes} onSaved={finish} />;
  return (
    <Modal opened onClose={onClose} title="Set up an authenticator app">
      {setup ? (
        <ConfirmTotp
          setup={setup}
          onDone={(codes) => (codes ? setCodes(codes) : finish())}
          onClose={onClose}
        />
      ) : (
        <StartTotp email={email} onDone={setSetup} onClose={onClose} />
      )}
    </Modal>
  );
}

function StartTotp({
  email,
  onDone,
  onClose,
}: {
  email: string;
  onDone: (setup: TotpSetup) => void;
  onClose: () => void;
}) {
  const start = useStartTotp();
  const form = useForm({
    initialValues: { currentPassword: "" },
    labels: { currentPassword: "Password" },
    checks: { currentPassword: passwordGiven },
    draft: null,
    send: ({ currentPassword: password }) => start.mutateAsync(password),
    onDone,
  });
  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Continue
        </DialogActions>
      }
    >
      <PasswordField email={email} field={form.field("currentPassword")} />
    </Form>
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
  const form = useForm({
    initialValues: { code: "" },
    labels: { code: "Code" },
    checks: { code: required },
    draft: null,
    send: ({ code }) => confirm.mutateAsync(code),
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Verify code
        </DialogActions>
      }
    >
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
        {...form.field("code")}
        description="The six-digit code your app shows."
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        data-autofocus
      />
    </Form>
  );
}
