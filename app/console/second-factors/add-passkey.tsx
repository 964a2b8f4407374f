"use client";

import { Text, TextInput } from "@mantine/core";
import { useState } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";
import { describeUserAgent } from "#app/console/ui/sign-ins.tsx";

import { PasswordField, passwordGiven } from "./password-field.tsx";
import { useAddPasskey, useRefreshFactors } from "./queries.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function AddPasskey({ email, onClose }: { email: string; onClose: () => void }) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = useRefreshFactors();

  function finish() {
    onClose();
    void refresh();
    toast("Passkey added");
  }

  if (codes) return <RecoveryCodesDialog codes={codes} onSaved={finish} />;
  return (
    <Modal opened onClose={onClose} title="Add a passkey">
      <AddPasskeyForm
        email={email}
        onDone={(codes) => (codes ? setCodes(codes) : finish())}
        onClose={onClose}
      />
    </Modal>
  );
}

function AddPasskeyForm({
  email,
  onDone,
  onClose,
}: {
  email: string;
  onDone: (codes: string[] | null) => void;
  onClose: () => void;
}) {
  const add = useAddPasskey();
  const form = useForm({
    initialValues: {
      name: describeUserAgent(navigator.userAgent),
      currentPassword: "",
    },
    labels: { name: "Name", currentPassword: "Password" },
    checks: { name: required, currentPassword: passwordGiven },
    draft: null,
    send: ({ name, currentPassword: password }) => add.mutateAsync({ name, password }),
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
    clearsOnDone: true,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose} pendingLabel="Waiting for browser…">
          Add passkey
        </DialogActions>
      }
    >
      <Text>Your browser will ask where to save the passkey.</Text>
      <TextInput
        {...form.field("name")}
        description="Helps you tell your passkeys apart."
        maxLength={60}
      />
      <PasswordField email={email} field={form.field("currentPassword")} />
    </Form>
  );
}
