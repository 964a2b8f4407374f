"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { CutOver } from "./cut-over.tsx";
import { type ImportAction, ImportActionDialog, useImportAction } from "./import-action-dialog.tsx";
import { importList } from "./import-columns.tsx";
import { importsQuery } from "./queries.ts";

const SKELETON_ROWS = 6;

export function ImportMail() {
  const imports = useQuery(importsQuery);
  const [action, setAction] = useState<ImportAction | null>(null);
  const act = useImportAction(setAction);
  const layout = importList(act);
  const hasRows = imports.data !== undefined && imports.data.data.length > 0;
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <PageHeader
        title="Import mail"
        description="Copy mail from another server into your mailboxes. Nothing on the old server changes."
        help="moving"
        action={hasRows && <NewImportButton />}
      />
      <QueryView
        query={imports}
        noun="the imports"
        skeleton={<DataTableSkeleton layout={layout} rows={SKELETON_ROWS} />}
      >
        {(imports) =>
          imports.data.length === 0 ? (
            <EmptyState title="No imports yet">
              <Text c="dimmed">
                Import mail from Gmail, Microsoft 365, mailcow, cPanel, another Posthouse or any
                other IMAP server: one mailbox, or hundreds from a CSV file. The mailboxes on both
                servers stay in use during the import.
              </Text>
              <NewImportButton />
            </EmptyState>
          ) : (
            <Stack gap="lg">
              <DataTable layout={layout} rows={imports.data} />
              <CutOver imports={imports} />
            </Stack>
          )
        }
      </QueryView>
      {action && <ImportActionDialog action={action} onClose={() => setAction(null)} />}
    </>
  );
}

const NewImportButton = () => (
  <Button component={Link} href="/console/mailboxes/import-mail/new" w="fit-content">
    Import mail
  </Button>
);
