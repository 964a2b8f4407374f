import { Menu, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import {
  ListCell,
  type ListColumn,
  ListRow,
  ListRowLink,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RowMenu } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { type TemplateRow, useDeleteTemplate, useDuplicateTemplate } from "./queries.ts";
import classes from "./template-list.module.css";
import { templateStatus } from "./template-status.ts";

const columns = {
  name: { area: "name", header: "Name", kind: "name" },
  alias: { area: "alias", header: "Alias", kind: "text", isOptional: true, isMuted: true },
  status: { area: "status", header: "Status", kind: "status" },
  updated: { area: "updated", header: "Changed", kind: "moment", isOptional: true },
  actions: { area: "actions", header: "Actions", kind: "actions" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function TemplateList({ templates }: { templates: TemplateRow[] }) {
  const router = useRouter();
  const duplication = useDuplicateTemplate((id) => router.push(`/console/templates/${id}`));
  const [deleting, setDeleting] = useState<TemplateRow | null>(null);
  return (
    <>
      <ListTable label="Templates, newest first" {...layout}>
        {templates.map((template) => (
          <ListRow key={template.id}>
            <ListCell column={columns.name}>
              <ListRowLink href={`/console/templates/${template.id}`}>{template.name}</ListRowLink>
            </ListCell>
            <ListCell column={columns.alias}>{template.alias}</ListCell>
            <ListCell column={columns.status}>
              <Status {...templateStatus(template.status, template.has_draft)} />
            </ListCell>
            <ListCell column={columns.updated}>
              <RelativeTime at={template.updated_at} />
            </ListCell>
            <ListCell column={columns.actions}>
              <RowMenu label={template.name}>
                <Menu.Item onClick={() => duplication.start(template.id)}>
                  Duplicate template
                </Menu.Item>
                <Menu.Item c="var(--mantine-color-error)" onClick={() => setDeleting(template)}>
                  Delete template
                </Menu.Item>
              </RowMenu>
            </ListCell>
          </ListRow>
        ))}
      </ListTable>
      <DeleteTemplateDialog template={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

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

const SKELETON_ROWS = 5;

export function TemplateListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
