"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";

import { FormError } from "./form-error.tsx";
import { Modal } from "./modal.tsx";
import { formText } from "./form-text.ts";

/**
 * Asks for confirmation before an action that can't be undone or that affects others.
 *
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
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  children: ReactNode;
};

function ConfirmDialogForm({
  onClose,
  confirmLabel,
  cancelLabel = "Cancel",
  typeToConfirm,
  isHarmless,
  isPending,
  error,
  onConfirm,
  children,
}: ConfirmForm) {
  const [isMistyped, setIsMistyped] = useState(false);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    const typed =
      typeToConfirm === undefined ? "" : formText(new FormData(event.currentTarget), "name");
    const isMatch =
      typeToConfirm === undefined || typed.trim().toLowerCase() === typeToConfirm.toLowerCase();
    setIsMistyped(!isMatch);
    if (isMatch) onConfirm();
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
