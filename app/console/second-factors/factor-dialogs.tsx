"use client";

import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useState } from "react";

import { toast } from "#app/console/ui/actions.tsx";
import { CopyableValue, CopyTextButton, QrCode } from "#app/console/ui/code.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { useLeaveGuard } from "#app/console/ui/leave-guard.ts";
import { PrintedPage } from "#app/console/ui/printed-page.tsx";
import { describeUserAgent } from "#app/console/ui/sign-ins.tsx";

import { ConfirmIdentityForm, PasswordField, passwordGiven } from "./confirm-identity.tsx";
import classes from "./factor-dialogs.module.css";
import {
  type Factors,
  type Passkey,
  type TotpSetup,
  useAddPasskey,
  useConfirmTotp,
  useRefreshFactors,
  useRegenerateRecoveryCodes,
  useRemoveFactor,
  useRenamePasskey,
  useStartTotp,
} from "./queries.ts";

export type OpenedDialog =
  | { kind: "add_totp" | "add_passkey" | "new_codes" | "remove_totp" }
  | { kind: "rename" | "remove_passkey"; passkey: Passkey };

export function FactorDialog({
  dialog,
  email,
  factors,
  onClose,
}: {
  dialog: OpenedDialog;
  email: string;
  factors: Factors;
  onClose: () => void;
}) {
  switch (dialog.kind) {
    case "add_totp":
      return <AddTotp email={email} onClose={onClose} />;
    case "add_passkey":
      return <AddPasskey email={email} onClose={onClose} />;
    case "new_codes":
      return <RegenerateRecoveryCodes factors={factors} onClose={onClose} />;
    case "rename":
      return <RenamePasskey passkey={dialog.passkey} onClose={onClose} />;
    case "remove_totp":
      return <RemoveFactor factors={factors} passkey={null} onClose={onClose} />;
    case "remove_passkey":
      return <RemoveFactor factors={factors} passkey={dialog.passkey} onClose={onClose} />;
  }
}

function AddTotp({ email, onClose }: { email: string; onClose: () => void }) {
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const { codes, handleAdded } = useAddedFactor("Authenticator app added", onClose);
  if (codes) return codes;
  return (
    <Modal opened onClose={onClose} title="Set up an authenticator app">
      {setup ? (
        <ConfirmTotp setup={setup} onDone={handleAdded} onClose={onClose} />
      ) : (
        <StartTotp email={email} onDone={setSetup} onClose={onClose} />
      )}
    </Modal>
  );
}

/** The first factor comes with recovery codes: returns the dialog that shows them before the one that added it closes. */
function useAddedFactor(confirmation: string, onClose: () => void) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = useRefreshFactors();

  function finish() {
    onClose();
    void refresh();
    toast(confirmation);
  }

  return {
    codes: codes && <RecoveryCodesDialog codes={codes} onSaved={finish} />,
    handleAdded: (codes: string[] | null) => (codes ? setCodes(codes) : finish()),
  };
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

function AddPasskey({ email, onClose }: { email: string; onClose: () => void }) {
  const { codes, handleAdded } = useAddedFactor("Passkey added", onClose);
  if (codes) return codes;
  return (
    <Modal opened onClose={onClose} title="Add a passkey">
      <AddPasskeyForm email={email} onDone={handleAdded} onClose={onClose} />
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

/** Shows new recovery codes once. Only the button closes it, so that the codes aren't lost by accident. */
function RecoveryCodesDialog({ codes, onSaved }: { codes: string[]; onSaved: () => void }) {
  useLeaveGuard();
  const text = codes.join("\n");
  const [isPrinting, setIsPrinting] = useState(false);
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Save your recovery codes"
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>
          If you lose your authenticator app or passkey, sign in with one of these codes. Each works
          once. You won’t be able to see them again.
        </Text>
        <ol className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        {/* Comes first, so that a stray Enter copies the codes instead of closing the dialog. */}
        <Group gap="xs">
          <CopyTextButton value={text}>Copy</CopyTextButton>
          <Button
            component="a"
            variant="default"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
            download="posthouse-recovery-codes.txt"
            leftSection={<IconDownload size={14} />}
          >
            Download
          </Button>
          <Button
            variant="default"
            leftSection={<IconPrinter size={14} />}
            onClick={() => setIsPrinting(true)}
          >
            Print
          </Button>
          <Button ml="auto" onClick={onSaved}>
            I’ve saved my codes
          </Button>
        </Group>
      </Stack>
      {isPrinting && (
        <PrintedPage onPrinted={() => setIsPrinting(false)}>
          <div className={classes.sheet}>
            <h1>Recovery codes for {window.location.host}</h1>
            <pre>{text}</pre>
          </div>
        </PrintedPage>
      )}
    </Modal>
  );
}

function RegenerateRecoveryCodes({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  const regenerate = useRegenerateRecoveryCodes();
  const refresh = useRefreshFactors();
  if (regenerate.data)
    return (
      <RecoveryCodesDialog
        codes={regenerate.data.recoveryCodes}
        onSaved={() => {
          onClose();
          void refresh();
        }}
      />
    );
  return (
    <Modal opened onClose={onClose} title="Generate new recovery codes?">
      <ConfirmIdentityForm
        factors={factors}
        verb="Generate new codes"
        send={regenerate.mutateAsync}
        onClose={onClose}
      >
        You get ten new codes. Your current codes stop working.
      </ConfirmIdentityForm>
    </Modal>
  );
}

/** @param passkey null for the authenticator app */
function RemoveFactor({
  factors,
  passkey,
  onClose,
}: {
  factors: Factors;
  passkey: Passkey | null;
  onClose: () => void;
}) {
  const remove = useRemoveFactor(passkey?.id ?? null);
  const factor = passkey === null ? "authenticator app" : `passkey ${passkey.name}`;
  const isLast = Number(factors.totp) + factors.passkeys.length === 1;
  if (isLast && factors.isRequired)
    return (
      <Modal opened onClose={onClose} title={`Remove ${factor}?`}>
        <Text>
          This is your only second factor, and your company requires one. Add another one first.
        </Text>
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title={`Remove ${factor}?`}>
      <ConfirmIdentityForm
        factors={factors}
        verb={passkey === null ? "Remove app" : "Remove passkey"}
        isDangerous
        send={remove.mutateAsync}
        onClose={onClose}
        onDone={() => {
          onClose();
          toast(`Removed ${factor}`);
        }}
      >
        {isLast
          ? "You’ll sign in with your password alone. Your recovery codes are deleted too."
          : "You can no longer sign in with it. Your other factors keep working."}
      </ConfirmIdentityForm>
    </Modal>
  );
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useRenamePasskey();
  const form = useForm({
    initialValues: { name: passkey.name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: null,
    send: ({ name }) => rename.mutateAsync({ id: passkey.id, name }),
    onDone() {
      onClose();
      toast("Passkey renamed");
    },
  });

  return (
    <Modal opened onClose={onClose} title={`Rename ${passkey.name}`}>
      <Form
        form={form}
        actions={
          <DialogActions form={form} onClose={onClose}>
            Rename passkey
          </DialogActions>
        }
      >
        <TextInput {...form.field("name")} maxLength={60} data-autofocus />
      </Form>
    </Modal>
  );
}
