import { Button, Group, type ModalProps, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";

import { toast } from "./actions.tsx";
import { CopyTextButton } from "./code.tsx";
import classes from "./dialog.module.css";
import { errorMessage, FormError } from "./errors.tsx";
import { formText } from "./form/form-text.ts";
import { VERBATIM } from "./form/verbatim.ts";
import { useLeaveGuard } from "./leave-guard.ts";
import { onDemand } from "./on-demand.tsx";
import { DangerZone } from "./panel.tsx";
import { useTexts } from "./texts.tsx";

const LoadedModal = onDemand(() =>
  import("./loaded-modal.tsx").then((module) => module.LoadedModal),
);

/** Mantine's modal, loaded soon after the page, or with the first dialog. */
export function Modal(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(props.opened);
  if (props.opened && !wasOpened) setWasOpened(true);
  LoadedModal.usePreload();
  return wasOpened && <LoadedModal {...props} />;
}

/**
 * Asks for confirmation before an action that can't be undone or that affects others. While the action runs, the button
 * is busy; afterwards the dialog closes, or shows the error, which is gone when the dialog is opened again. If a refetch
 * removes what the dialog belongs to, such as a row, a toast shows the error.
 *
 * @param onConfirm the action; rejects if it fails
 * @param leavesPage the dialog stays open and busy after success, because the page changes
 * @param confirmLabel verb and object: "Delete domain"
 * @param cancelLabel where "Cancel" would be ambiguous
 * @param typeToConfirm text to type before the action runs, such as the name of what is deleted
 * @param isHarmless the confirm button isn't red
 * @param children what will happen
 */
export function ConfirmDialog({ isOpen, onClose, title, ...form }: ConfirmForm & Dialog) {
  const shown = useRef<Error | null>(null);
  const show = (error: Error | null) => (shown.current = error);
  useEffect(
    () => () => {
      if (shown.current) showError(shown.current);
    },
    [],
  );
  function close() {
    show(null);
    onClose();
  }
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <ConfirmDialogForm {...form} onClose={close} onError={show} />
    </Modal>
  );
}

type Dialog = { isOpen: boolean; title: string };

type ConfirmForm = {
  onClose: () => void;
  confirmLabel: string;
  cancelLabel?: string;
  typeToConfirm?: string;
  isHarmless?: boolean;
  leavesPage?: boolean;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
};

function ConfirmDialogForm({
  onClose,
  confirmLabel,
  cancelLabel,
  typeToConfirm,
  isHarmless,
  leavesPage = false,
  onConfirm,
  onError,
  children,
}: ConfirmForm & { onError: OnError }) {
  const text = useTexts();
  const [isMistyped, setIsMistyped] = useState(false);
  const { isPending, error, run } = useConfirmation(onConfirm, { onClose, leavesPage, onError });

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    const typed =
      typeToConfirm === undefined ? "" : formText(new FormData(event.currentTarget), "name");
    const isMatch =
      typeToConfirm === undefined || typed.trim().toLowerCase() === typeToConfirm.toLowerCase();
    setIsMistyped(!isMatch);
    if (isMatch) void run();
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>{children}</div>
        {typeToConfirm !== undefined && (
          <TextInput
            name="name"
            label={`Type ${typeToConfirm} to confirm`}
            {...VERBATIM}
            data-autofocus
            error={isMistyped && `Doesn’t match ${typeToConfirm}`}
          />
        )}
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {cancelLabel ?? text("cancel")}
          </Button>
          <Button type="submit" {...(!isHarmless && { color: "red.8" })} aria-busy={isPending}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Called with the error that the open dialog shows; null when it no longer does. */
type OnError = (error: Error | null) => void;

const showError = (error: Error) => toast(errorMessage(error), { isError: true });

/** The state of an action that belongs to an open dialog. */
function useConfirmation(
  action: () => Promise<unknown>,
  { onClose, leavesPage, onError }: { onClose: () => void; leavesPage: boolean; onError: OnError },
) {
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  async function run() {
    setIsPending(true);
    setError(null);
    onError(null);
    try {
      await action();
      if (leavesPage) return;
      if (isOpen.current) onClose();
    } catch (error) {
      setError(error as Error);
      if (isOpen.current) onError(error as Error);
      else showError(error as Error);
    }
    setIsPending(false);
  }

  return { isPending, error, run };
}

/**
 * The box at the end of a page for an action that can't be undone, and the dialog that confirms it.
 *
 * @param action the button's label in both
 * @param description the text in the box
 * @param question the dialog's title
 * @param dialog see `ConfirmDialog`
 */
export function DangerousAction({
  title,
  action,
  description,
  question,
  ...dialog
}: Omit<ConfirmForm, "onClose" | "confirmLabel"> & {
  title: string;
  action: string;
  description: ReactNode;
  question: string;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <DangerZone title={title} actionLabel={action} onAction={open}>
        {description}
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={close}
        title={question}
        confirmLabel={action}
        {...dialog}
      />
    </>
  );
}

/**
 * A button that asks for confirmation in a dialog. Long labels wrap on phones.
 *
 * @param name accessible name, where several buttons have the same label
 */
export function ConfirmedButton({
  label,
  name,
  confirmLabel = label,
  color,
  size,
  ...dialog
}: {
  label: string;
  name?: string;
  confirmLabel?: string;
  title: string;
  color?: string;
  size?: "xs";
  isHarmless?: boolean;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        aria-label={name}
        c={color}
        size={size}
        onClick={open}
        h="auto"
        mih="var(--button-height)"
        py={6}
        styles={{ label: { whiteSpace: "normal", textWrap: "balance", lineHeight: 1.3 } }}
      >
        {label}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={close} confirmLabel={confirmLabel} {...dialog} />
    </>
  );
}

type Secret = {
  secret: string;
  fileName: string;
  title: string;
  onStored: () => void;
  /** What the secret is for, and whether it is shown again. */
  children: ReactNode;
  /** Buttons next to Copy and Download. */
  extraActions?: ReactNode;
  footer?: ReactNode;
};

/** Shows a new secret. Only its button closes the dialog, and leaving the page asks for confirmation. */
export function SecretDialog({ title, ...content }: Secret) {
  useLeaveGuard();
  return (
    <Modal
      opened
      onClose={() => {}}
      title={title}
      size={660}
      centered
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <SecretDialogContent {...content} />
    </Modal>
  );
}

function SecretDialogContent({
  secret,
  fileName,
  onStored,
  extraActions,
  footer,
  children,
}: Omit<Secret, "title">) {
  const text = useTexts();
  return (
    <Stack gap="md">
      <div>{children}</div>
      <code className={classes.secret}>{secret}</code>
      {/* Copy is focused first: a stray Enter must not close the dialog. */}
      <Group gap="xs">
        <CopyTextButton value={secret}>{text("copy")}</CopyTextButton>
        <Button
          component="a"
          variant="default"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${secret}\n`)}`}
          download={fileName}
          leftSection={<IconDownload size={14} />}
        >
          {text("download")}
        </Button>
        {extraActions}
        <Button ml="auto" onClick={onStored}>
          {text("secret.saved")}
        </Button>
      </Group>
      {footer}
    </Stack>
  );
}
