import { ActionIcon, Checkbox } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef } from "react";

import type { RowPage, PageCursor } from "./pagination.tsx";
import { type MatchingRows, SelectAllMatching } from "./select-all-matching.tsx";
import { byId, type Selection } from "./selection.tsx";
import classes from "./selection-bar.module.css";

/**
 * Bulk actions for the list below it. The bar covers the list's column headers, so nothing moves when the
 * first row is selected, and stays visible while scrolling. On phones the actions move to the bottom edge.
 *
 * @param selection rows on all pages
 * @param nameCount "306 mailboxes"
 * @param readAll reads the rows on all pages, up to the limit of a bulk action
 * @param outcome the result of the last action
 * @param children the actions, shown while anything is selected
 */
export function SelectionBar<Row extends { id: string }>({
  label,
  page,
  place,
  selection: { chosen, setChosen },
  nameCount,
  readAll,
  outcome = "",
  children,
}: {
  label: string;
  page: Omit<RowPage, "data"> & { data: Row[] };
  place: PageCursor;
  selection: Pick<Selection<Row>, "chosen" | "setChosen">;
  nameCount: (count: number) => string;
  readAll: () => Promise<MatchingRows<Row>>;
  outcome?: string;
  children: ReactNode;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const all = useRef<HTMLInputElement>(null);
  const isEmpty = chosen.size === 0;
  const isAllSelected = page.data.length > 0 && page.data.every(({ id }) => chosen.has(id));
  const status = isEmpty ? outcome : `${nameCount(chosen.size)} selected`;
  const clear = () => setChosen(new Map());
  const wasEmpty = useRef(isEmpty);
  useEffect(() => {
    // The pressed button disappears with the other actions.
    if (isEmpty && !wasEmpty.current && isLosingFocus(bar.current)) all.current?.focus();
    wasEmpty.current = isEmpty;
  }, [isEmpty]);

  return (
    <div
      ref={bar}
      className={classes.bar}
      role="group"
      aria-label={label}
      data-solid={status !== "" || undefined}
      data-chosen={!isEmpty || undefined}
    >
      <Checkbox
        ref={all}
        label="Select all on this page"
        classNames={{ label: classes.hint }}
        checked={isAllSelected}
        indeterminate={!isEmpty && !isAllSelected}
        onChange={isAllSelected ? clear : () => setChosen(new Map([...chosen, ...byId(page.data)]))}
      />
      <span className={classes.status} role="status">
        {status}
      </span>
      {!isEmpty && (
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Clear selection"
            title="Clear selection"
            onClick={clear}
          >
            <IconX size={14} />
          </ActionIcon>
          <div className={classes.actions}>
            {children}
            <SelectAllMatching
              page={page}
              place={place}
              chosen={chosen}
              nameCount={nameCount}
              read={readAll}
              onChoose={setChosen}
            />
          </div>
        </>
      )}
    </div>
  );
}

/** Focus is nowhere, in this bar, or in a closing dialog; not on a row or in the search field. */
function isLosingFocus(bar: Element | null): boolean {
  const { activeElement: now } = document;
  if (now === null || now === document.body || !now.isConnected) return true;
  return bar?.contains(now) === true || now.closest("[role=dialog]") !== null;
}
