"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { InlineCode } from "#app/console/ui/inline-code.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { templatesQuery } from "./queries.ts";
import { TemplateList, TemplateListSkeleton } from "./template-list.tsx";

const HEADER = {
  title: "Templates",
  description: "Write an email once, and fill in what differs each time you send it.",
  help: "templates",
} as const;

export function Templates() {
  const place = usePageCursor();
  const templates = useQuery(templatesQuery(place));
  const isEmpty = templates.data?.data.length === 0 && isFirstPage(place);
  const create = (
    <Button component={Link} href="/console/templates/new">
      Create template
    </Button>
  );
  return (
    <>
      <PageHeader {...HEADER} action={templates.data && !isEmpty && create} />
      <QueryView query={templates} noun="the templates" skeleton={<TemplateListSkeleton />}>
        {(page) =>
          isEmpty ? (
            <NoTemplates create={create} />
          ) : (
            <>
              <TemplateList templates={page.data} />
              <Pagination cursor={place} page={page} isPlaceholder={templates.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

/** Server-rendered fallback: the list's position comes from the URL, which only the browser knows. */
export function TemplatesSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <TemplateListSkeleton />
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
