import { TextInput } from "@mantine/core";

import { required } from "./form/checks.ts";
import { FormDialog } from "./form/form.tsx";
import { useForm } from "./form/use-form.ts";

type DialogProps = { onClose: () => void; onSave: (name: string) => void };

/** Asks for the name of a view. */
export function SaveViewDialog({ onClose, onSave }: DialogProps) {
  const form = useForm({
    initialValues: { name: "" },
    labels: { name: "Name" },
    checks: { name: required },
    draft: null,
    send: ({ name }) => Promise.resolve(name),
    onDone(name) {
      onSave(name);
      onClose();
    },
  });
  return (
    <FormDialog form={form} title="Save view" submit="Save view" onClose={onClose}>
      <TextInput
        {...form.field("name")}
        description="Saved in this browser. A view with the same name is replaced."
        maxLength={60}
        autoComplete="off"
        data-autofocus
      />
    </FormDialog>
  );
}
