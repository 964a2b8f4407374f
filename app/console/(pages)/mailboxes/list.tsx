"use client";

import { Anchor, Button, Group } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";

import { type InputOf, read } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useMe, usePrivileges } from "#app/console/session.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { CopyTextButton } from "#app/console/ui/code.tsx";
import { FilterSelect, withSelected } from "#app/console/ui/filter-chips.tsx";
import { type ColumnsOf, ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { type Selection, useSelection } from "#app/console/ui/selection.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { anyText, type Filters, oneOf } from "#app/console/ui/url-filters.ts";

import { type BulkActionName, pluralMailboxes } from "./bulk-actions/bulk-actions.ts";
import { LazyBulkActionDialog } from "./bulk-actions/lazy-bulk-action-dialog.ts";
import { mailboxStatus, mailboxUrl } from "./labels.ts";
import { MailboxMenu } from "./mailbox-menu.tsx";
import { NoMailboxes, UsageBar } from "./parts.tsx";
import type { MailboxOptions, MailboxRow } from "./queries.ts";

const MAILBOX_STATES = {
  active: "Active",
  suspended: "Suspended",
  on_hold: "On hold",
  full: "Full",
  nearly_full: "Nearly full (90% or more)",
  password_due: "Password change required",
  never_signed_in: "Never signed in",
} satisfies Record<NonNullable<NonNullable<InputOf<"mailboxes.list">["query"]>["status"]>, string>;

const COLUMNS: ColumnsOf<"mailboxes.list"> = {
  address: {
    header: "Address",
    kind: "name",
    width: "minmax(0, 58fr)",
    sort: "address",
    cell: ({ id }) => (
      <ListRowLink href={mailboxUrl(id)}>
        {id.slice(0, id.indexOf("@"))}
        <wbr />
        {id.slice(id.indexOf("@"))}
      </ListRowLink>
    ),
  },
  name: {
    header: "Name",
    width: "minmax(0, 17fr)",
    isMuted: true,
    sort: "name",
    canHide: true,
    cell: ({ name }) => name,
  },
  status: statusColumn("136px", mailboxStatus),
  unit: {
    header: "Unit",
    width: "minmax(0, 25fr)",
    wraps: true,
    isMuted: true,
    isOptional: true,
    canHide: true,
    cell: ({ orgUnit: unit }) => unit.name,
  },
  usage: {
    header: "Storage",
    width: "166px",
    isMuted: true,
    isOptional: true,
    sort: "storage",
    canHide: true,
    cell: (mailbox) => <UsageBar of={mailbox} isInList />,
  },
  signin: {
    header: "Last sign-in",
    kind: "moment",
    width: "112px",
    isOptional: true,
    sort: "sign_in",
    canHide: true,
    cell: ({ lastSignInAt: at }) => (at === null ? "Never" : <RelativeTime at={at} />),
  },
};

const FILTERS = {
  domain: anyText,
  status: oneOf(MAILBOX_STATES),
  /** Includes subunits. */
  unit: (text: string) => (/^\d{1,10}$/.test(text) ? text : undefined),
};

export function Mailboxes() {
  const { data: options } = useRead("mailboxes.getOptions", {});
  const seesRoutes = useMe()?.wholePrivileges.includes("view_users") ?? false;
  const selection = useSelection<MailboxRow>();
  const bulkActions = useBulkActions();
  const maySelect = bulkActions.length > 0;
  // Here, because the row may leave the list while its dialog is open.
  const [single, setSingle] = useState<{ name: BulkActionName; mailbox: MailboxRow } | null>(null);
  return (
    <ListPage
      list="mailboxes.list"
      title="Mailboxes"
      description={
        <>
          Mailboxes store mail for the people in your company.{" "}
          {seesRoutes && (
            <Anchor component={Link} underline="always" href="/console/mailboxes/route">
              Where does an address go?
            </Anchor>
          )}
        </>
      }
      help="mailboxes"
      noun="mailboxes"
      rowsPerPage={50}
      skeletonRows={8}
      search="Address, alias, name, or unit"
      filters={FILTERS}
      controls={(filters) => <MailboxFilters {...filters} options={options} />}
      exports="mailboxes.export"
      hasViews
      create={<CreateMailboxButtons />}
      empty={(_, create) => <NoMailboxes create={create} domains={options?.domains} />}
      columns={COLUMNS}
      menu={
        maySelect &&
        ((mailbox) => (
          <MailboxMenu mailbox={mailbox} onAct={(name) => setSingle({ name, mailbox })} />
        ))
      }
      bulk={
        maySelect && {
          selection,
          label: "Bulk actions",
          nameCount: pluralMailboxes,
          readAll: (query) => read("mailboxes.select", { query }),
          actions: (chosen) => (
            <BulkActions selection={selection} chosen={chosen} bulkActions={bulkActions} />
          ),
        }
      }
      phone={
        maySelect
          ? `"choose address address menu" auto ". name status status" auto / 20px minmax(0, 1fr) auto 28px`
          : `"address address" auto "name status" auto / minmax(0, 1fr) auto`
      }
    >
      {single && (
        <LazyBulkActionDialog
          name={single.name}
          mailboxes={[single.mailbox]}
          onClose={() => setSingle(null)}
        />
      )}
    </ListPage>
  );
}

function MailboxFilters({
  domain,
  status,
  unit = "",
  options: { domains, units } = NO_OPTIONS,
}: Filters<typeof FILTERS> & {
  /** Undefined while loading. */
  options: Pick<MailboxOptions, "domains" | "units"> | undefined;
}) {
  const offered = [...new Set([...domains, ...(domain ? [domain] : [])])];
  return (
    <>
      <FilterSelect name="status" label="Status" value={status} all="All statuses" data={STATES} />
      {/* After the status, because it appears only when the domains have loaded. */}
      {offered.length > 1 && (
        <FilterSelect
          name="domain"
          label="Domain"
          value={domain}
          all="All domains"
          data={offered}
        />
      )}
      {(units.length > 1 || unit !== "") && (
        <FilterSelect
          name="unit"
          label="Unit"
          value={unit}
          all="All units"
          // The unit in the URL is always offered, even without the privilege to update it.
          data={withSelected(
            units.map(({ id, name, depth }) => ({
              value: String(id),
              label: "\u2003".repeat(depth) + name,
            })),
            unit,
            "Selected unit",
          )}
        />
      )}
    </>
  );
}

const NO_OPTIONS = { domains: [], units: [] };
const STATES = Object.entries(MAILBOX_STATES).map(([value, label]) => ({ value, label }));

const BUTTONS: { name: BulkActionName; label: string; needs: Privilege }[] = [
  { name: "suspend", label: "Suspend", needs: "suspend_users" },
  { name: "restore", label: "Restore", needs: "suspend_users" },
  { name: "reset", label: "Reset passwords", needs: "reset_user_passwords" },
  { name: "move", label: "Move", needs: "update_users" },
  { name: "resize", label: "Change storage", needs: "update_users" },
  { name: "group", label: "Add to group", needs: "manage_groups" },
  { name: "delete", label: "Delete", needs: "owner" },
];

function useBulkActions() {
  const privileges = usePrivileges();
  return BUTTONS.filter(({ needs }) =>
    needs === "owner" ? privileges.isOwner : privileges.has(needs),
  );
}

type BulkActionsProps = {
  chosen: ReadonlyMap<string, MailboxRow>;
  selection: Selection<MailboxRow>;
  bulkActions: typeof BUTTONS;
};

/** @param chosen may include mailboxes on other pages */
function BulkActions({ chosen, selection, bulkActions }: BulkActionsProps) {
  const [action, setAction] = useState<BulkActionName | null>(null);
  function handleClose(done: string[]) {
    setAction(null);
    const gone = new Set(done);
    selection.setChosen(new Map([...chosen].filter(([id]) => !gone.has(id))));
  }
  return (
    <>
      <CopyTextButton size="xs" value={[...chosen.keys()].join("\n")}>
        Copy addresses
      </CopyTextButton>
      {bulkActions.map(({ name, label }) => (
        <Button key={name} variant="default" size="xs" onClick={() => setAction(name)}>
          {label}
        </Button>
      ))}
      {action && (
        <LazyBulkActionDialog
          name={action}
          mailboxes={[...chosen.values()]}
          onClose={handleClose}
        />
      )}
    </>
  );
}

function CreateMailboxButtons() {
  const { has } = usePrivileges();
  return (
    <Group gap="xs">
      {has("update_users") && (
        <Button component={Link} href="/console/mailboxes/import-mail" variant="default">
          Import mail
        </Button>
      )}
      {has("create_users") && (
        <>
          <Button component={Link} href="/console/mailboxes/import" variant="default">
            Import mailboxes
          </Button>
          <Button component={Link} href="/console/mailboxes/new">
            Create mailbox
          </Button>
        </>
      )}
    </Group>
  );
}
