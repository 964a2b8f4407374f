"use client";

import { Anchor, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { pluralMailboxes } from "#app/console/(pages)/mailboxes/bulk-actions/bulk-actions.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/parts.tsx";
import { mailboxOptionsQuery } from "#app/console/(pages)/mailboxes/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { ColumnMapping, ImportListInput, isMapped } from "./import-input.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { parseList, type ParsedList, toImportLines } from "./parse-list.ts";
import {
  type Checked,
  checkLines,
  importState,
  type ListToImport,
  mailboxImportsQuery,
} from "./queries.ts";

export function ImportMailboxes() {
  const options = useQuery(mailboxOptionsQuery);
  const mayCreate = usePrivileges().has("create_users");
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <PageHeader
        title="Import mailboxes"
        description="Create mailboxes from a list. You can review the result before anything is created."
        help="moving"
      />
      <QueryView query={options} noun="your domains" skeleton={<PanelSkeleton count={10} />}>
        {(options) => {
          const isPossible = mayCreate && options.domains.length > 0;
          if (isPossible)
            return <ImportSteps example={options.mainDomain ?? options.domains[0]!} />;
          return (
            <Panel>
              {mayCreate ? (
                <NoVerifiedDomain />
              ) : (
                "You don’t have permission to create mailboxes. Ask an owner of your company."
              )}
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

function ImportSteps({ example }: { example: string }) {
  const router = useRouter();
  const [text, setText] = useState("");
  const [list, setList] = useState<ParsedList | null>(null);
  const [wanted, setWanted] = useState<ListToImport>({ lines: [], createUnits: false });
  const [checked, setChecked] = useState<Checked | null>(null);
  const check = useMutation({ mutationFn: checkLines, onSuccess: setChecked });
  const start = useChange("mailboxImports.start", {
    invalidates: ["mailboxImports", "sessions.getMe"],
    onDone: ({ id }) => router.push(`/console/mailboxes/import/${id}`),
  });

  const attempt = (list: ListToImport) => {
    setWanted(list);
    check.mutate(list);
  };
  if (checked)
    return (
      <ImportPreview
        lines={wanted.lines}
        checked={checked}
        createsUnits={wanted.createUnits}
        onCreateUnits={(createUnits) => attempt({ ...wanted, createUnits })}
        isStarting={start.isPending || check.isPending}
        error={start.error ?? check.error}
        onStart={() => void start.run({ body: wanted }).catch(() => {})}
        onBack={() => {
          start.reset();
          setChecked(null);
        }}
      />
    );
  if (list)
    return (
      <ColumnMapping
        list={list}
        isPending={check.isPending}
        error={check.error}
        onTry={(lines) => attempt({ lines, createUnits: false })}
        onBack={() => {
          check.reset();
          setList(null);
        }}
      />
    );
  return (
    <Stack gap="md">
      <ImportListInput
        text={text}
        example={example}
        onChange={setText}
        onRead={async (text) => {
          const list = await parseList(text);
          setList(list);
          if (isMapped(list))
            attempt({ lines: toImportLines(list, list.columns), createUnits: false });
        }}
      />
      <EarlierImports />
    </Stack>
  );
}

function EarlierImports() {
  const { data } = useQuery(mailboxImportsQuery);
  if (!data || data.data.length === 0) return null;
  return (
    <Panel title="Earlier imports">
      <ItemList label="Earlier imports">
        {data.data.map((row) => (
          <ItemRow
            key={row.id}
            title={
              <Anchor component={Link} href={`/console/mailboxes/import/${row.id}`} inherit>
                {pluralMailboxes(row.created)} created
              </Anchor>
            }
            actions={<Status {...importState(row)} />}
          >
            <RelativeTime at={row.createdAt} /> by {row.startedBy}
            {row.passwords > 0 && `. ${pluralize(row.passwords, "temporary password")} to save`}
          </ItemRow>
        ))}
      </ItemList>
    </Panel>
  );
}
