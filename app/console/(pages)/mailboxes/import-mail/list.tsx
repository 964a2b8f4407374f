"use client";

import { Anchor, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { DataTable, DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { FormDialog } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { Menu } from "#app/console/ui/menu.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { CopyItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";

import {
  cancelMailImport,
  importProgress,
  importsQuery,
  importStatus,
  isActive,
  isApp,
  type MailImport,
  type MailImports,
  repeatMailImport,
} from "./queries.ts";

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
              <Text>
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

export type ImportActionName = "repeat" | "cancel" | "erase";

const COLUMNS: ListLayout<MailImport>["columns"] = {
  mailbox: {
    header: "Mailbox",
    kind: "name",
    width: "minmax(0, 4fr)",
    cell: ({ id, mailbox }) => (
      <ListRowLink href={`/console/mailboxes/import-mail/${id}`} title={mailbox}>
        {mailbox}
      </ListRowLink>
    ),
  },
  account: {
    header: "From",
    width: "minmax(0, 4fr)",
    isMuted: true,
    cell: ({ account, host }) => <span title={`${account} at ${host}`}>{account}</span>,
  },
  status: statusColumn("144px", importStatus),
  progress: {
    header: "Progress",
    wraps: true,
    width: "minmax(0, 4fr)",
    cell: (row) => {
      const progress = (row.state === "failed" && row.problem) || importProgress(row);
      return <span title={progress}>{progress}</span>;
    },
  },
};

const importList = (
  onAct: (name: ImportActionName, row: MailImport) => void,
): ListLayout<MailImport> => ({
  noun: "imports",
  label: "Imports of mail",
  columns: {
    ...COLUMNS,
    menu: menuColumn(
      ({ mailbox }) => mailbox,
      (row) => (
        <>
          {isActive(row) ? (
            <Menu.Item onClick={() => onAct("cancel", row)}>Cancel import</Menu.Item>
          ) : (
            <Menu.Item onClick={() => onAct("repeat", row)}>Import new mail</Menu.Item>
          )}
          {!isActive(row) && row.hasSecret && (
            <Menu.Item onClick={() => onAct("erase", row)}>Erase password</Menu.Item>
          )}
          <CopyItem value={row.mailbox}>Copy address</CopyItem>
        </>
      ),
    ),
  },
  phone: `"mailbox mailbox menu" auto "account account account" auto "progress status status" auto
    / minmax(0, 1fr) auto 28px`,
});

export type ImportAction = {
  name: ImportActionName;
  row: Pick<MailImport, "id" | "mailbox" | "account" | "hasSecret" | "secretKind">;
};

const INVALIDATES = [["mailImports"]];

/** What a menu or button does with an import. Asks for the password if none is stored. */
export function useImportAction(open: (action: ImportAction) => void) {
  const repeat = useAction({
    call: ({ id }: ImportAction["row"]) => repeatMailImport(id),
    invalidates: INVALIDATES,
    success: "Importing new mail",
  });
  return (name: ImportActionName, row: ImportAction["row"]) => {
    if (name === "repeat" && row.hasSecret) repeat.start(row);
    else open({ name, row });
  };
}

export function ImportActionDialog({
  action,
  onClose,
}: {
  action: ImportAction;
  onClose: () => void;
}) {
  const cancel = useAction({
    call: () => cancelMailImport(action.row.id),
    invalidates: INVALIDATES,
    success: action.name === "cancel" ? "Import canceled" : "Password erased",
  });
  if (action.name === "repeat")
    return isApp(action.row.secretKind) ? (
      <ReenterCredentialsDialog onClose={onClose} />
    ) : (
      <ImportPasswordDialog row={action.row} onClose={onClose} />
    );
  if (action.name === "cancel")
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title="Cancel import"
        confirmLabel="Cancel import"
        cancelLabel="Keep importing"
        onConfirm={cancel.run}
      >
        Messages imported so far stay in {action.row.mailbox}, and the password is erased. You can
        start the import again: it continues where it stopped.
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Erase password"
      confirmLabel="Erase password"
      onConfirm={cancel.run}
    >
      Posthouse erases the password of {action.row.account}. To import new mail later, enter it
      again.
    </ConfirmDialog>
  );
}

function ReenterCredentialsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Import new mail">
      <Text>
        The app’s credentials are no longer stored.{" "}
        <Anchor
          component={Link}
          href="/console/mailboxes/import-mail/new"
          inherit
          underline="always"
        >
          Start a new import
        </Anchor>{" "}
        and enter them again. Only new mail is imported.
      </Text>
    </Modal>
  );
}

function ImportPasswordDialog({ row, onClose }: { row: ImportAction["row"]; onClose: () => void }) {
  const repeat = useAction({
    call: (secret: string) => repeatMailImport(row.id, secret),
    invalidates: INVALIDATES,
    success: "Importing new mail",
    onDone: onClose,
  });
  const form = useForm({
    initialValues: { secret: "" },
    labels: { secret: "Password or access token" },
    checks: { secret: required },
    draft: null,
    send: ({ secret }) => repeat.run(secret),
  });
  return (
    <FormDialog form={form} title="Import new mail" submit="Import new mail" onClose={onClose}>
      <PasswordInput
        {...form.field("secret")}
        description={`The password of ${row.account} on the old server is no longer stored.`}
        autoComplete="off"
        data-autofocus
      />
    </FormDialog>
  );
}

/** The steps of a move to this server, checked as far as Posthouse can know. */
function CutOver({ imports: { data, domains } }: { imports: MailImports }) {
  const isImported = data.every(({ state }) => state === "done");
  const switched = domains.filter(({ receives }) => receives);
  const isSwitched = switched.length === domains.length;
  const others = domains.filter(({ receives }) => !receives).map(({ name }) => name);
  return (
    <Panel title="Switch servers">
      <ItemList label="Steps to switch servers">
        <Step title="1. Lower the TTL">
          A few days before, set the TTL of the MX record to 300 seconds, so that the switch takes
          effect in minutes.
        </Step>
        <Step title="2. Import mail" isDone={isImported}>
          {finishedText(data)}
        </Step>
        <Step title="3. Switch the MX record" isDone={isSwitched}>
          {isSwitched ? (
            `${switched.map(({ name }) => name).join(", ")} ${switched.length === 1 ? "receives" : "receive"} mail here.`
          ) : (
            <>
              {others.join(", ")} {others.length === 1 ? "doesn’t" : "don’t"} receive mail here yet.{" "}
              <RecordsLink />
            </>
          )}
        </Step>
        <Step title="4. Import new mail" action={<RepeatAllButton imports={data} />}>
          Once the old TTL has expired, import any mail that reached the old server in the meantime.
        </Step>
        <Step title="5. Compare the counts" isDone={isImported && isComplete(data)}>
          {countsText(data)}
        </Step>
      </ItemList>
    </Panel>
  );
}

function RecordsLink() {
  const { has } = usePrivileges();
  if (!has("domains") && !has("api_controls"))
    return "An admin with the Domains privilege can find the record on the domain’s page.";
  return (
    <Anchor component={Link} href="/console/domains" inherit underline="always">
      Show records
    </Anchor>
  );
}

function Step({
  title,
  isDone,
  action,
  children,
}: {
  title: string;
  /** Undefined if Posthouse can't know. */
  isDone?: boolean;
  action?: ReactNode;
  children: ReactNode;
}) {
  const status = isDone !== undefined && (
    <Status {...(isDone ? { tone: "done", label: "Done" } : { tone: "waiting", label: "To do" })} />
  );
  return (
    <ItemRow title={title} actions={action ?? status}>
      <Text inherit>{children}</Text>
    </ItemRow>
  );
}

function finishedText(imports: MailImport[]): string {
  const done = imports.filter(({ state }) => state === "done").length;
  if (imports.length === 1)
    return done ? "The import has finished." : "The import hasn’t finished.";
  return `${formatCount(done)} of ${formatCount(imports.length)} imports have finished.`;
}

const sum = (imports: MailImport[], field: "messagesTotal" | "messagesDone" | "errors") =>
  imports.reduce((total, row) => total + row[field], 0);

const isComplete = (imports: MailImport[]) =>
  sum(imports, "messagesDone") === sum(imports, "messagesTotal") && sum(imports, "errors") === 0;

function countsText(imports: MailImport[]): string {
  const errors = sum(imports, "errors");
  const here = sum(imports, "messagesDone") - errors;
  const counts = `${formatCount(here)} of ${pluralize(sum(imports, "messagesTotal"), "message")} on the old server have been imported.`;
  return errors > 0 ? `${counts} ${formatCount(errors)} couldn’t be imported.` : counts;
}

/** Repeats finished imports whose password is still stored. */
function RepeatAllButton({ imports }: { imports: MailImport[] }) {
  const rows = imports.filter((row) => !isActive(row) && row.hasSecret);
  const repeat = useAction({
    call: async () => {
      for (const { id } of rows) await repeatMailImport(id);
    },
    invalidates: [["mailImports"]],
    success: "Importing new mail",
  });
  if (rows.length === 0) return null;
  return (
    <Button variant="default" onClick={() => repeat.start()} aria-busy={repeat.isPending}>
      Import new mail into {pluralize(rows.length, "mailbox", "mailboxes")}
    </Button>
  );
}
