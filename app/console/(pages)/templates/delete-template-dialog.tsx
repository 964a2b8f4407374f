import { Text } from "@mantine/core";

import { ConfirmDialog } from "#app/console/ui/dialog.tsx";

import { type TemplateRow, useDeleteTemplate } from "./queries.ts";

/** @param onDeleted for pages that end with the template */
export function DeleteTemplateDialog({
  template,
  onClose,
  onDeleted,
}: {
  template: Pick<TemplateRow, "id" | "name" | "status"> | null;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  const deletion = useDeleteTemplate();
  return (
    <ConfirmDialog
      isOpen={template !== null}
      onClose={onClose}
      title="Delete template?"
      confirmLabel="Delete template"
      leavesPage={onDeleted !== undefined}
      onConfirm={async () => {
        if (template) await deletion.run(template.id);
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
