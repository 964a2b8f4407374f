"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";

import { errorMessage } from "./error-message.ts";
import { FormError } from "./form-error.tsx";
import { Modal } from "./modal.tsx";
import { formText } from "./form-text.ts";
import { toast } from "./toast.tsx";

/**
 * Asks for confirmation before an action that can't be undone or that affects others. While the action runs, the button
 * is busy; afterwards the dialog closes, or shows the error, which is gone when the dialog is opened again.
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
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <ConfirmDialogForm onClose={onClose} {...form} />
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
  cancelLabel = "Cancel",
  typeToConfirm,
  isHarmless,
  leavesPage = false,
  onConfirm,
  children,
}: ConfirmForm) {
  const [isMistyped, setIsMistyped] = useState(false);
  const { isPending, error, run } = useConfirmation(onConfirm, { onClose, leavesPage });

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
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
            error={isMistyped && `Doesn’t match ${typeToConfirm}`}
          />
        )}
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {cancelLabel}
          </Button>
          <Button type="submit" {...(!isHarmless && { color: "red.8" })} aria-busy={isPending}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The state of an action that belongs to an open dialog. */
function useConfirmation(
  action: () => Promise<unknown>,
  { onClose, leavesPage }: { onClose: () => void; leavesPage: boolean },
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
    try {
      await action();
      if (leavesPage) return;
      if (isOpen.current) onClose();
    } catch (error) {
      setError(error as Error);
      if (!isOpen.current) toast(errorMessage(error as Error), { isError: true });
    }
    setIsPending(false);
  }

  return { isPending, error, run };
}
