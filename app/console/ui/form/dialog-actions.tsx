import { Button, Group } from "@mantine/core";

import { SubmitButton } from "./form.tsx";
import type { ConsoleForm } from "./use-form.ts";

/** The buttons of a form in a dialog. Cancel forgets what was typed; closing the dialog in another way doesn't. */
export function DialogActions({
  form,
  onClose,
  children,
}: {
  form: ConsoleForm;
  onClose: () => void;
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
      <SubmitButton form={form}>{children}</SubmitButton>
    </Group>
  );
}
