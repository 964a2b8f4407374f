"use client";

import { Button, Text } from "@mantine/core";
import { useState } from "react";

import type { MailboxFilters, MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";
import { byId, type Selection } from "#app/console/ui/selection.tsx";

import { type BulkActionName, countMailboxes } from "./bulk-actions.ts";
import { LazyBulkActionDialog } from "./lazy-bulk-action-dialog.ts";
import { fetchMatchingMailboxes } from "./requests.ts";

const BUTTONS: { name: BulkActionName; label: string; needs: string }[] = [
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
  hasMore,
  total,
  filters,
}: {
  selection: Selection<MailboxRow>;
  /** Matching mailboxes on all pages. */
  total: number;
  page: MailboxRow[];
  /** The list has more than one page. */
  hasMore: boolean;
  filters: MailboxFilters;
}) {
  const acts = useBulkActions();
  // With the latest data of the rows shown.
  const fresh = page.filter(({ id }) => selected.has(id));
  const chosen: Chosen = new Map([...selected, ...byId(fresh)]);
  const [act, setAct] = useState<BulkActionName | null>(null);
  const isAll = page.length > 0 && page.every(({ id }) => chosen.has(id));

  function handleClose(done: string[]) {
    setAct(null);
    const gone = new Set(done);
    setChosen(new Map([...chosen].filter(([id]) => !gone.has(id))));
  }

  return (
    <>
      <SelectionBar
        label="Bulk actions"
        status={chosen.size === 0 ? "" : `${countMailboxes(chosen.size)} selected`}
        count={chosen.size}
        isAllSelected={isAll}
        onSelectAll={() => setChosen(new Map([...chosen, ...byId(page)]))}
        onClear={() => setChosen(new Map())}
      >
        {acts.map(({ name, label }) => (
          <Button key={name} variant="default" size="xs" onClick={() => setAct(name)}>
            {label}
          </Button>
        ))}
        {isAll && hasMore && chosen.size < total && (
          <SelectAllMatching {...{ filters, total }} onChoose={setChosen} />
        )}
      </SelectionBar>
      {act && (
        <LazyBulkActionDialog name={act} mailboxes={[...chosen.values()]} onClose={handleClose} />
      )}
    </>
  );
}

function SelectAllMatching({
  filters,
  total,
  onChoose,
}: {
  total: number;
  filters: MailboxFilters;
  onChoose: (chosen: Chosen) => void;
}) {
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [isCut, setIsCut] = useState(false);

  async function handleClick() {
    if (isReading) return;
    setIsReading(true);
    setError(null);
    try {
      const { data, has_more: isMore } = await fetchMatchingMailboxes(filters);
      setIsCut(isMore);
      onChoose(byId(data));
    } catch (failure) {
      setError(failure as Error);
    }
    setIsReading(false);
  }

  return (
    <>
      <Button variant="subtle" size="xs" aria-busy={isReading} onClick={() => void handleClick()}>
        Select all {countMailboxes(total)}
      </Button>
      {isCut && (
        <Text size="sm" c="dimmed" role="status">
          Only the first 1,000 are selected.
        </Text>
      )}
      <FormError error={error} />
    </>
  );
}
