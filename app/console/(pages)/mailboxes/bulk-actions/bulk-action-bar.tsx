"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import type { MailboxFilters, MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import type { ListPage, PageCursor } from "#app/console/ui/pagination.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";
import { byId, type Selection } from "#app/console/ui/selection.tsx";

import { type BulkActionName, countMailboxes } from "./bulk-actions.ts";
import { LazyBulkActionDialog } from "./lazy-bulk-action-dialog.ts";
import { fetchMatchingMailboxes } from "./requests.ts";

const BUTTONS: { name: BulkActionName; label: string; needs: Privilege }[] = [
  { name: "suspend", label: "Suspend", needs: "suspend_users" },
  { name: "restore", label: "Restore", needs: "suspend_users" },
  { name: "reset", label: "Reset passwords", needs: "reset_user_passwords" },
  { name: "move", label: "Move", needs: "update_users" },
  { name: "resize", label: "Change storage", needs: "update_users" },
  { name: "delete", label: "Delete", needs: "owner" },
];

type Chosen = ReadonlyMap<string, MailboxRow>;

/** Whether the admin has the privilege for any bulk action. */
export function useMaySelect(): boolean {
  return useBulkActions().length > 0;
}

function useBulkActions() {
  const privileges = usePrivileges();
  return BUTTONS.filter(({ needs }) =>
    needs === "owner" ? privileges.isOwner : privileges.has(needs),
  );
}

/** The selection may include mailboxes on other pages. */
export function BulkActionBar({
  selection: { chosen: selected, setChosen },
  page,
  place,
  filters,
}: {
  selection: Selection<MailboxRow>;
  page: Omit<ListPage, "data"> & { data: MailboxRow[] };
  place: PageCursor;
  filters: MailboxFilters;
}) {
  const acts = useBulkActions();
  // With the latest data of the rows shown.
  const fresh = page.data.filter(({ id }) => selected.has(id));
  const chosen: Chosen = new Map([...selected, ...byId(fresh)]);
  const [act, setAct] = useState<BulkActionName | null>(null);

  function handleClose(done: string[]) {
    setAct(null);
    const gone = new Set(done);
    setChosen(new Map([...chosen].filter(([id]) => !gone.has(id))));
  }

  return (
    <>
      <SelectionBar
        {...{ page, place }}
        label="Bulk actions"
        selection={{ chosen, setChosen }}
        nameCount={countMailboxes}
        readAll={() => fetchMatchingMailboxes(filters)}
      >
        {acts.map(({ name, label }) => (
          <Button key={name} variant="default" size="xs" onClick={() => setAct(name)}>
            {label}
          </Button>
        ))}
      </SelectionBar>
      {act && (
        <LazyBulkActionDialog name={act} mailboxes={[...chosen.values()]} onClose={handleClose} />
      )}
    </>
  );
}
