"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";

import { FormProblem } from "./form-problem.tsx";
import { Modal } from "./modal.tsx";
import { textOf } from "./text-of.ts";

/**
 * Asks before something that cannot be undone, or that others will notice. With `name`, which then has
 * to be typed, what is deleted is named by hand.
 *
 * @param verb what the button does: "Delete domain"
 * @param wayBack what the other button does, where "Cancel" could mean either
 * @param isHarmless nothing is lost by it: the button is not red
 * @param children what will happen
 */
export function ConfirmDialog({ isOpen, onClose, title, ...form }: ConfirmForm & Dialog) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Form onClose={onClose} {...form} />
    </Modal>
  );
}

type Dialog = { isOpen: boolean; title: string };
type ConfirmForm = {
  onClose: () => void;
  verb: string;
  wayBack?: string;
  name?: string;
  isHarmless?: boolean;
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  children: ReactNode;
};

function Form({
  onClose,
  verb,
  wayBack = "Cancel",
  name,
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
    const typed = name === undefined ? "" : textOf(new FormData(event.currentTarget), "name");
    const isNamed = name === undefined || typed.trim().toLowerCase() === name.toLowerCase();
    setIsMistyped(!isNamed);
    if (isNamed) onConfirm();
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>{children}</div>
        {name !== undefined && (
          <TextInput
            name="name"
            label={`Type ${name} to confirm`}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
            error={isMistyped && `This is not ${name}`}
          />
        )}
        <FormProblem error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {wayBack}
          </Button>
          <Button type="submit" {...(!isHarmless && { color: "red.8" })} aria-busy={isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
