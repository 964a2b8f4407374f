import { Button, Group } from "@mantine/core";

import { SubmitButton } from "./form.tsx";
import type { ConsoleForm } from "./use-form.ts";

/** The buttons of a form in a dialog. Cancel forgets what was typed; closing the dialog in another way doesn't. */
export function DialogActions({
  form,
  onClose,
  isDangerous = false,
  pendingLabel,
  children,
}: {
  form: ConsoleForm;
  onClose: () => void;
  /** The button is red. */
  isDangerous?: boolean;
  /** Replaces the label while the form is sent. */
  pendingLabel?: string;
  /** The verb and its object: "Create domain". */
  children: string;
}) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button
        variant="default"
        onClick={() => {
          form.discard();
          onClose();
        }}
      >
        Cancel
      </Button>
      <SubmitButton
        form={form}
        {...(isDangerous && { color: "red.8" })}
        {...(pendingLabel !== undefined && { pendingLabel })}
      >
        {children}
      </SubmitButton>
    </Group>
  );
}
