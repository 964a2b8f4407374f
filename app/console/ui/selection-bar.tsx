"use client";

import { ActionIcon, Checkbox } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef } from "react";

import classes from "./selection-bar.module.css";

/**
 * Bulk actions for the list below it. The bar covers the list's column headers, so nothing moves when the
 * first row is selected, and stays visible while scrolling. On phones the actions move to the bottom edge.
 *
 * @param status how many are selected, or the result of the last action; announced to screen readers
 * @param count selected rows on all pages
 * @param children the actions, shown while anything is selected
 */
export function SelectionBar({
  label,
  status,
  count,
  isAllSelected,
  onSelectAll,
  onClear,
  children,
}: {
  label: string;
  status: string;
  count: number;
  /** Every row on this page is selected. */
  isAllSelected: boolean;
  onSelectAll: () => void;
  onClear: () => void;
  children: ReactNode;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const all = useRef<HTMLInputElement>(null);
  const isEmpty = count === 0;
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
        onChange={isAllSelected ? onClear : onSelectAll}
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
            onClick={onClear}
          >
            <IconX size={14} />
          </ActionIcon>
          <div className={classes.actions}>{children}</div>
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
