"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { InlineCode } from "#app/console/ui/code.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";

import { DeleteTemplateDialog } from "./delete-template-dialog.tsx";
import {
  TEMPLATE_SORTS,
  type TemplateRow,
  templatesQuery,
  useDuplicateTemplate,
} from "./queries.ts";
import { templateList } from "./template-columns.tsx";

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
