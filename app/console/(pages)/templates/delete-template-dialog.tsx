import { Text } from "@mantine/core";

import { useChange } from "#app/console/ui/actions.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";

import type { TemplateRow } from "./queries.ts";

type DeleteTemplateDialogProps = {
  template: Pick<TemplateRow, "id" | "name" | "status"> | null;
  onClose: () => void;
  onDeleted?: () => void;
};

/** @param onDeleted leaves a page that no longer exists without the template */
export function DeleteTemplateDialog({ template, onClose, onDeleted }: DeleteTemplateDialogProps) {
  const deletion = useChange("templates.delete", {
    invalidates: ["templates.list"],
    success: "Template deleted",
  });
  return (
    <ConfirmDialog
      isOpen={template !== null}
      onClose={onClose}
      title="Delete template?"
      confirmLabel="Delete template"
      leavesPage={onDeleted !== undefined}
      onConfirm={async () => {
        if (template) await deletion.run({ params: { id: template.id } });
        onDeleted?.();
      }}
    >
      <Text>
        “{template?.name}” and all its versions are deleted. This can’t be undone.
        {template?.status === "published" &&
          " Sending emails with this template will fail from now on."}
      </Text>
    </ConfirmDialog>
  );
}
