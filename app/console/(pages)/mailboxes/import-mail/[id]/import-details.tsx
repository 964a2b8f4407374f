"use client";

import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import {
  type ImportAction,
  ImportActionDialog,
  useImportAction,
} from "#app/console/(pages)/mailboxes/import-mail/list.tsx";
import {
  importProgress,
  importQuery,
  importStatus,
  isActive,
  type MailImportDetail,
} from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { formatBytes, formatCount, pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

const TRAIL = [
  { label: "Mailboxes", href: "/console/mailboxes" },
  { label: "Import mail", href: "/console/mailboxes/import-mail" },
];

export function ImportDetails({ id }: { id: string }) {
  const query = useQuery(importQuery(id));
  return (
    <>
      <Breadcrumbs trail={TRAIL} />
      <QueryView
        query={query}
        noun="the import"
        titleOrder={1}
        skeleton={<PanelSkeleton count={8} />}
      >
        {(row) => <LoadedImport row={row} />}
      </QueryView>
    </>
  );
}

function LoadedImport({ row }: { row: MailImportDetail }) {
  const [action, setAction] = useState<ImportAction | null>(null);
  const act = useImportAction(setAction);
  return (
    <>
      <PageHeader
        title={row.mailbox}
        documentTitle={`${row.mailbox} · Import`}
        action={
          isActive(row) ? (
            <Button variant="default" onClick={() => act("cancel", row)}>
              Cancel import
            </Button>
          ) : (
            <Group gap="xs">
              {row.hasSecret && (
                <Button variant="default" onClick={() => act("erase", row)}>
                  Erase password
                </Button>
              )}
              <Button onClick={() => act("repeat", row)}>Import new mail</Button>
            </Group>
          )
        }
      />
      <Stack gap="md">
        <Panel title="Import">
          <DescriptionList
            items={{
              Status: (
                <>
                  <Status {...importStatus(row)} />
                  {row.problem !== null && <Text inherit>{row.problem}.</Text>}
                </>
              ),
              Progress: importProgress(row),
              Imported: `${pluralize(row.messagesImported, "message")}, ${formatBytes(row.bytesImported)}`,
              From: `${row.account} at ${row.host}`,
              Into: <MailboxLink address={row.mailbox} />,
              Password: row.hasSecret ? "Stored, encrypted" : "Not stored",
            }}
          />
        </Panel>
        {row.errors > 0 && <ImportErrors row={row} />}
        {row.folders.length > 0 && <ImportFolders folders={row.folders} />}
      </Stack>
      {action && <ImportActionDialog action={action} onClose={() => setAction(null)} />}
    </>
  );
}

function MailboxLink({ address }: { address: string }) {
  if (!usePrivileges().has("view_users")) return address;
  return (
    <Anchor component={Link} href={`/console/mailboxes/${encodeURIComponent(address)}`} inherit>
      {address}
    </Anchor>
  );
}

const ImportErrors = ({ row: { failed, errors } }: { row: MailImportDetail }) => (
  <Panel title="Errors">
    <Text c="dimmed" mb="md">
      {pluralize(errors, "message")} couldn’t be imported. The next import retries them.
      {errors > failed.length && ` These are the first ${formatCount(failed.length)}.`}
    </Text>
    <ItemList label="Messages that couldn’t be imported">
      {failed.map(({ folder, uid, reason }) => (
        <ItemRow key={`${uid} ${folder}`} title={uid === 0 ? folder : `${folder}, UID ${uid}`}>
          {reason}
        </ItemRow>
      ))}
    </ItemList>
  </Panel>
);

const ImportFolders = ({ folders }: { folders: MailImportDetail["folders"] }) => (
  <Panel title="Folders">
    <ItemList label="Folders of the import">
      {folders.map(({ source, target, messages, done }) => (
        <ItemRow
          key={source}
          title={source}
          actions={`${formatCount(done)} of ${formatCount(messages)}`}
        >
          {target !== source && `Into ${target}`}
        </ItemRow>
      ))}
    </ItemList>
  </Panel>
);
