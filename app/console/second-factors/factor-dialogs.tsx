import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useState } from "react";

import { toast } from "#app/console/ui/actions.tsx";
import { CopyableValue, CopyTextButton, QrCode } from "#app/console/ui/code.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, FormDialog } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { useLeaveGuard } from "#app/console/ui/leave-guard.ts";
import { PrintedPage } from "#app/console/ui/printed-page.tsx";
import { describeUserAgent } from "#app/console/ui/sign-ins.tsx";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

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

type FactorDialogProps = {
  dialog: OpenedDialog;
  email: string;
  factors: Factors;
  onClose: () => void;
};

export function FactorDialog({ dialog, email, factors, onClose }: FactorDialogProps) {
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
  const text = useTexts();
  const { codes, handleAdded } = useAddedFactor(text("totp.added"), onClose);
  if (codes) return codes;
  return (
    <Modal opened onClose={onClose} title={text("totp.title")}>
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

type StartTotpProps = { email: string; onDone: (setup: TotpSetup) => void; onClose: () => void };

function StartTotp({ email, onDone, onClose }: StartTotpProps) {
  const text = useTexts();
  const start = useStartTotp();
  const form = useForm({
    initialValues: { currentPassword: "" },
    labels: { currentPassword: text("password") },
    checks: { currentPassword: passwordGiven },
    draft: null,
    send: ({ currentPassword: password }) => start.mutateAsync(password),
    onDone,
  });
  return (
    <Form form={form} submit={text("continue")} onClose={onClose}>
      <PasswordField email={email} field={form.field("currentPassword")} />
    </Form>
  );
}

type ConfirmTotpProps = {
  setup: TotpSetup;
  onDone: (codes: string[] | null) => void;
  onClose: () => void;
};

function ConfirmTotp({ setup, onDone, onClose }: ConfirmTotpProps) {
  const text = useTexts();
  const confirm = useConfirmTotp();
  const form = useForm({
    initialValues: { code: "" },
    labels: { code: text("code") },
    checks: { code: required },
    draft: null,
    send: ({ code }) => confirm.mutateAsync(code),
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
  });

  return (
    <Form form={form} submit={text("totp.verify")} onClose={onClose}>
      <Text>{text("totp.scan")}</Text>
      <Group justify="center">
        <QrCode qr={setup.qr} url={setup.url} label={text("totp.qr")} />
      </Group>
      <div>
        <Text size="sm" fw={500}>
          {text("totp.key")}
        </Text>
        <CopyableValue value={setup.secret} label={text("totp.key.copied")} />
        <Text size="sm" c="dimmed">
          <RichText
            id="totp.phone"
            values={{
              link: (label) => (
                <Anchor href={setup.url} underline="always">
                  {label}
                </Anchor>
              ),
            }}
          />
        </Text>
      </div>
      <TextInput
        {...form.field("code")}
        description={text("totp.code.hint")}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        data-autofocus
      />
    </Form>
  );
}

function AddPasskey({ email, onClose }: { email: string; onClose: () => void }) {
  const text = useTexts();
  const { codes, handleAdded } = useAddedFactor(text("passkey.added"), onClose);
  if (codes) return codes;
  return (
    <Modal opened onClose={onClose} title={text("passkey.add.title")}>
      <AddPasskeyForm email={email} onDone={handleAdded} onClose={onClose} />
    </Modal>
  );
}

type AddPasskeyFormProps = {
  email: string;
  onDone: (codes: string[] | null) => void;
  onClose: () => void;
};

function AddPasskeyForm({ email, onDone, onClose }: AddPasskeyFormProps) {
  const text = useTexts();
  const add = useAddPasskey();
  const form = useForm({
    initialValues: {
      name: describeUserAgent(navigator.userAgent),
      currentPassword: "",
    },
    labels: { name: text("name"), currentPassword: text("password") },
    checks: { name: required, currentPassword: passwordGiven },
    draft: null,
    send: ({ name, currentPassword: password }) => add.mutateAsync({ name, password }),
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
    clearsOnDone: true,
  });

  return (
    <Form
      form={form}
      submit={text("passkey.add")}
      onClose={onClose}
      pendingLabel={text("passkey.pending")}
    >
      <Text>{text("passkey.add.text")}</Text>
      <TextInput {...form.field("name")} description={text("passkey.name.hint")} maxLength={60} />
      <PasswordField email={email} field={form.field("currentPassword")} />
    </Form>
  );
}

/** Shows new recovery codes once. Only the button closes it, so that the codes aren't lost by accident. */
function RecoveryCodesDialog({ codes, onSaved }: { codes: string[]; onSaved: () => void }) {
  useLeaveGuard();
  const text = useTexts();
  const lines = codes.join("\n");
  const [isPrinting, setIsPrinting] = useState(false);
  return (
    <Modal
      opened
      onClose={() => {}}
      title={text("recovery.save")}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>{text("recovery.save.text")}</Text>
        <ol className={classes.codes} aria-label={text("recovery")}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        {/* Comes first, so that a stray Enter copies the codes instead of closing the dialog. */}
        <Group gap="xs">
          <CopyTextButton value={lines}>{text("copy")}</CopyTextButton>
          <Button
            component="a"
            variant="default"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${lines}\n`)}`}
            download="posthouse-recovery-codes.txt"
            leftSection={<IconDownload size={14} />}
          >
            {text("download")}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPrinter size={14} />}
            onClick={() => setIsPrinting(true)}
          >
            {text("print")}
          </Button>
          <Button ml="auto" onClick={onSaved}>
            {text("recovery.saved")}
          </Button>
        </Group>
      </Stack>
      {isPrinting && (
        <PrintedPage onPrinted={() => setIsPrinting(false)}>
          <div className={classes.sheet}>
            <h1>{text("recovery.sheet", { host: window.location.host })}</h1>
            <pre>{lines}</pre>
          </div>
        </PrintedPage>
      )}
    </Modal>
  );
}

function RegenerateRecoveryCodes({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  const text = useTexts();
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
    <Modal opened onClose={onClose} title={text("recovery.new.title")}>
      <ConfirmIdentityForm
        factors={factors}
        verb={text("recovery.new")}
        send={regenerate.mutateAsync}
        onClose={onClose}
      >
        {text("recovery.new.text")}
      </ConfirmIdentityForm>
    </Modal>
  );
}

type RemoveFactorProps = { factors: Factors; passkey: Passkey | null; onClose: () => void };

/** @param passkey null for the authenticator app */
function RemoveFactor({ factors, passkey, onClose }: RemoveFactorProps) {
  const text = useTexts();
  const remove = useRemoveFactor(passkey?.id ?? null);
  const question = passkey ? text("passkey.remove", passkey) : text("totp.remove");
  const isLast = Number(factors.totp) + factors.passkeys.length === 1;
  if (isLast && factors.isRequired)
    return (
      <Modal opened onClose={onClose} title={question}>
        <Text>{text("factor.only")}</Text>
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title={question}>
      <ConfirmIdentityForm
        factors={factors}
        verb={text(passkey === null ? "totp.remove.verb" : "passkey.remove.verb")}
        isDangerous
        send={remove.mutateAsync}
        onClose={onClose}
        onDone={() => {
          onClose();
          toast(passkey ? text("passkey.removed", passkey) : text("totp.removed"));
        }}
      >
        {text(isLast ? "factor.removesLast" : "factor.removesOne")}
      </ConfirmIdentityForm>
    </Modal>
  );
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const text = useTexts();
  const rename = useRenamePasskey();
  const form = useForm({
    initialValues: { name: passkey.name },
    labels: { name: text("name") },
    checks: { name: required },
    draft: null,
    send: ({ name }) => rename.mutateAsync({ id: passkey.id, name }),
    onDone() {
      onClose();
      toast(text("passkey.renamed"));
    },
  });

  return (
    <FormDialog
      form={form}
      title={text("rename.name", { name: passkey.name })}
      submit={text("passkey.rename")}
      onClose={onClose}
    >
      <TextInput {...form.field("name")} maxLength={60} data-autofocus />
    </FormDialog>
  );
}
