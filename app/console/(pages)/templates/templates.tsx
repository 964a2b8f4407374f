"use client";

import { Button, Menu, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { InlineCode } from "#app/console/ui/code.tsx";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { CopyItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import {
  TEMPLATE_SORTS,
  type TemplateRow,
  templatesQuery,
  useDeleteTemplate,
  useDuplicateTemplate,
} from "./queries.ts";

const HEADER = {
  title: "Templates",
  description: "Write an email once, and fill in what differs each time you send it.",
  help: "templates",
} as const;

const SKELETON_ROWS = 5;

export function Templates() {
  const place = usePageCursor();
  const params = useListParams(TEMPLATE_SORTS);
  const templates = useQuery(templatesQuery(place, params.sort));
  const router = useRouter();
  const duplication = useDuplicateTemplate((id) => router.push(`/console/templates/${id}`));
  const [deleting, setDeleting] = useState<TemplateRow | null>(null);
  const layout = templateList({
    onDuplicate: ({ id }) => duplication.start(id),
    onDelete: setDeleting,
  });
  const isEmpty = isEmptyList(templates, place, false);
  const create = (
    <Button component={Link} href="/console/templates/new">
      Create template
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={templates.data && !isEmpty && create} />
      {!isEmpty && !isForbidden(templates) && (
        <FilterBar>
          <ListTools layout={layout} params={params} />
        </FilterBar>
      )}
      <ListView
        {...{ layout, place, params }}
        query={templates}
        skeletonRows={SKELETON_ROWS}
        isFiltered={false}
        empty={<NoTemplates create={create} />}
      />
      <DeleteTemplateDialog template={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

export const templateList = ({
  onDuplicate,
  onDelete,
}: TemplateActions): ListLayout<TemplateRow> => ({
  noun: "templates",
  label: "Templates",
  standardSort: "-changed",
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 5fr)",
      sort: "name",
      cell: ({ id, name }) => <ListRowLink href={`/console/templates/${id}`}>{name}</ListRowLink>,
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
    menuColumn(
      ({ name }) => name,
      (template) => (
        <>
          <Menu.Item onClick={() => onDuplicate(template)}>Duplicate template</Menu.Item>
          <CopyItem value={template.id}>Copy ID</CopyItem>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => onDelete(template)}>
            Delete template
          </Menu.Item>
        </>
      ),
    ),
  ],
  phone: `"name menu" auto "status status" auto / minmax(0, 1fr) auto`,
});

const SKELETON_LIST = templateList({ onDuplicate: () => {}, onDelete: () => {} });

/** Server-rendered fallback: the list's position comes from the URL, which only the browser knows. */
export function TemplatesSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

function NoTemplates({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Create your first template">
      <Text c="dimmed">
        <InlineCode text="A template is a subject and content with variables such as `{{{NAME}}}`. Your applications send it through the API with their values, and you can send it from the console. Changes go live when you publish them." />
      </Text>
      <div>{create}</div>
    </EmptyState>
  );
}

type TemplateActions = Record<"onDuplicate" | "onDelete", (template: TemplateRow) => void>;

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
