"use client";

import { Menu, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { useChange } from "#app/console/ui/actions.tsx";
import { InlineCode } from "#app/console/ui/code.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem } from "#app/console/ui/row-menu.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { usePrivileges } from "#app/console/session.ts";

import { type TemplateRow, useDuplicateTemplate } from "./queries.ts";

export function Templates() {
  const router = useRouter();
  const mayChange = usePrivileges().has("api_controls");
  const duplication = useDuplicateTemplate((id) => router.push(`/console/templates/${id}`));
  const [deleting, setDeleting] = useState<TemplateRow | null>(null);
  return (
    <ListPage
      list="templates.list"
      title="Templates"
      description="Write an email once, and fill in what differs each time you send it."
      help="templates"
      noun="templates"
      standardSort="-changed"
      settings={{ refetchInterval: false }}
      create={{ label: "Create template", href: "/console/templates/new", needs: "api_controls" }}
      empty={{
        title: mayChange ? "Create your first template" : "No templates yet",
        children: (
          <Text c="dimmed">
            <InlineCode text="A template is a subject and content with variables such as `{{{NAME}}}`. Your applications send it through the API with their values, and you can send it from the console. Changes go live when you publish them." />
          </Text>
        ),
      }}
      columns={[
        {
          area: "name",
          header: "Name",
          kind: "name",
          width: "minmax(0, 5fr)",
          sort: "name",
          cell: ({ id, name }) => (
            <ListRowLink href={`/console/templates/${id}`}>{name}</ListRowLink>
          ),
        },
        {
          area: "alias",
          header: "Alias",
          kind: "text",
          width: "minmax(0, 3fr)",
          isMuted: true,
          isOptional: true,
          cell: ({ alias }) => alias,
        },
        {
          area: "status",
          header: "Status",
          kind: "status",
          width: "176px",
          cell: ({ status, hasDraft }) => <Status {...templateStatus(status, hasDraft)} />,
        },
        {
          area: "updated",
          header: "Changed",
          kind: "moment",
          width: "116px",
          isOptional: true,
          sort: "-changed",
          cell: ({ updatedAt: at }) => <RelativeTime at={at} />,
        },
      ]}
      nameOf={({ name }) => name}
      menu={(template) => (
        <>
          {mayChange && (
            <Menu.Item onClick={() => duplication.start({ params: { id: template.id } })}>
              Duplicate template
            </Menu.Item>
          )}
          <CopyItem value={template.id}>Copy ID</CopyItem>
          {mayChange && (
            <Menu.Item c="var(--mantine-color-error)" onClick={() => setDeleting(template)}>
              Delete template
            </Menu.Item>
          )}
        </>
      )}
      phone={`"name menu" auto "status status" auto / minmax(0, 1fr) auto`}
    >
      <DeleteTemplateDialog template={deleting} onClose={() => setDeleting(null)} />
    </ListPage>
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

/** "Draft", "Published" or "Published, with a draft". */
export function templateStatus(
  status: "draft" | "published",
  hasDraft: boolean,
): { tone: StatusTone; label: string } {
  if (status === "draft") return { tone: "none", label: "Draft" };
  return hasDraft
    ? { tone: "waiting", label: "Published, with a draft" }
    : { tone: "done", label: "Published" };
}
