"use client";

import { Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { InlineCode } from "#app/console/ui/code.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { Menu } from "#app/console/ui/menu.tsx";
import { CopyItem } from "#app/console/ui/row-menu.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { usePrivileges } from "#app/console/session.ts";

import { DeleteTemplateDialog } from "./delete-template-dialog.tsx";
import { type TemplateRow, templateStatus, useDuplicateTemplate } from "./queries.ts";

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
          <Text>
            <InlineCode text="A template is a subject and content with variables such as `{{{NAME}}}`. Your applications send it through the API with their values, and you can send it from the console. Changes go live when you publish them." />
          </Text>
        ),
      }}
      columns={{
        name: {
          header: "Name",
          kind: "name",
          width: "minmax(0, 5fr)",
          sort: "name",
          cell: ({ id, name }) => (
            <ListRowLink href={`/console/templates/${id}`}>{name}</ListRowLink>
          ),
        },
        alias: {
          header: "Alias",
          width: "minmax(0, 3fr)",
          isMuted: true,
          isOptional: true,
          cell: ({ alias }) => alias,
        },
        status: statusColumn("176px", (row: TemplateRow) =>
          templateStatus(row.status, row.hasDraft),
        ),
        updated: {
          header: "Changed",
          kind: "moment",
          width: "116px",
          isOptional: true,
          sort: "-changed",
          cell: ({ updatedAt: at }) => <RelativeTime at={at} />,
        },
      }}
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
