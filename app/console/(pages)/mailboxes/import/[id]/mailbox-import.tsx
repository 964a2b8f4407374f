"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { pluralMailboxes } from "#app/console/(pages)/mailboxes/bulk-actions/bulk-actions.ts";
import { ProgressBar } from "#app/console/(pages)/mailboxes/bulk-actions/progress.tsx";
import {
  importState,
  type MailboxImportRow,
  mailboxImportQuery,
} from "#app/console/(pages)/mailboxes/import/queries.ts";
import { TemporaryPasswords } from "#app/console/(pages)/mailboxes/welcome/welcome-sheets.tsx";
import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { meQuery } from "#app/console/session.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { DescriptionItem, DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { formatCount, pluralize, typographic } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

const TRAIL = [
  { label: "Mailboxes", href: "/console/mailboxes" },
  { label: "Import mailboxes", href: "/console/mailboxes/import" },
];

/** The queries that a change to an import affects: its pages, and the note in the navigation. */
const SHOWN = ["mailboxImports", "sessions.getMe"] as const;

/** An import of mailboxes, which runs on the server. */
export function MailboxImportDetails({ id }: { id: string }) {
  return (
    <>
      <Breadcrumbs trail={TRAIL} />
      <QueryView
        query={useQuery(mailboxImportQuery(id))}
        noun="the import"
        titleOrder={1}
        skeleton={<PanelSkeleton count={8} />}
      >
        {(row) => <LoadedMailboxImport row={row} />}
      </QueryView>
    </>
  );
}

function LoadedMailboxImport({ row }: { row: AnswerOf<"mailboxImports.get"> }) {
  useReloadWhenDone(row);
  const { created, failed, skipped, invited, waiting, total, state } = row;
  const isRunning = state === "running";
  return (
    <>
      <PageHeader title="Mailbox import" action={<ImportControls row={row} />} />
      <Stack gap="md">
        <Panel title="Progress">
          <Stack gap="md">
            <ProgressBar
              label="Lines imported"
              done={total - skipped - waiting}
              of={total - skipped}
              isRunning={isRunning}
              hint="It continues on the server if you leave this page."
            >
              {waiting === 0
                ? `Done: ${pluralMailboxes(created)} created.`
                : `${pluralMailboxes(created)} created, ${formatCount(waiting)} remaining.`}
            </ProgressBar>
            <DescriptionList>
              <DescriptionItem label="Status">
                <Status {...importState(row)} />
                {row.problem !== null && <Text inherit>{typographic(row.problem)}.</Text>}
              </DescriptionItem>
              <DescriptionItem label="Started">
                <RelativeTime at={row.createdAt} /> by {row.startedBy}
              </DescriptionItem>
              {invited > 0 && (
                <DescriptionItem label="Password links">
                  Emailed to {pluralize(invited, "user")}
                </DescriptionItem>
              )}
              <DescriptionItem label="Not imported">
                {failed + skipped === 0 ? "None" : pluralize(failed + skipped, "line")}
              </DescriptionItem>
            </DescriptionList>
          </Stack>
        </Panel>
        {row.passwords > 0 && !isRunning && <ImportedPasswords row={row} />}
        {row.problems.length > 0 && (
          <Panel title="Not imported">
            <ItemList label="Lines that weren’t imported">
              {row.problems.map(({ number, address, problem }) => (
                <ItemRow key={number} title={address || "No address"} actions={`Line ${number}`}>
                  {typographic(problem ?? "")}
                </ItemRow>
              ))}
            </ItemList>
          </Panel>
        )}
      </Stack>
    </>
  );
}

/** Reloads the lists of mailboxes and units when the import ends. */
function useReloadWhenDone({ state }: MailboxImportRow): void {
  const before = useRef(state);
  const client = useQueryClient();
  useEffect(() => {
    if (before.current === "running" && state !== "running")
      for (const queryKey of [["mailboxes", "list"], ["units"], meQuery.queryKey])
        void client.invalidateQueries({ queryKey });
    before.current = state;
  }, [state, client]);
}

function ImportControls({ row: { id, state, waiting, failed } }: { row: MailboxImportRow }) {
  const stop = useChange("mailboxImports.stop", { invalidates: SHOWN });
  const resume = useChange("mailboxImports.resume", { invalidates: SHOWN });
  const params = { id };
  if (state === "running")
    return (
      <Button variant="default" aria-busy={stop.isPending} onClick={() => stop.start({ params })}>
        Stop import
      </Button>
    );
  if (waiting + failed === 0) return null;
  return (
    <Button aria-busy={resume.isPending} onClick={() => resume.start({ params })}>
      {waiting > 0 ? "Continue import" : `Retry ${pluralize(failed, "line")}`}
    </Button>
  );
}

function ImportedPasswords({ row: { id, passwords } }: { row: MailboxImportRow }) {
  const query = useRead(
    "mailboxImports.readPasswords",
    { params: { id } },
    { gcTime: 0, refetchOnWindowFocus: false },
  );
  const erase = useChange("mailboxImports.erasePasswords", {
    invalidates: SHOWN,
    success: "Temporary passwords erased",
  });
  return (
    <Panel title="Temporary passwords">
      <QueryView
        query={query}
        noun="the passwords"
        skeleton={<SkeletonLines count={passwords > 1 ? 2 : 3} />}
      >
        {({ data: people }) => (
          <TemporaryPasswords
            people={people}
            keptText="This page shows temporary passwords for one day."
            onStored={() =>
              erase.start({
                params: { id },
                body: { addresses: people.map(({ address }) => address) },
              })
            }
          />
        )}
      </QueryView>
    </Panel>
  );
}
