"use client";

import { ActionIcon, Checkbox } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef } from "react";

import classes from "./selection-bar.module.css";

/**
 * What is chosen in a list, and what can be done with it; the list comes right after it. It lies over the
 * list's column heads, so that nothing moves when the first is chosen, and stays in sight while one scrolls.
 * On a phone what can be done is at the bottom of the screen.
 *
 * @param words how many are chosen, or how the last act ended; read out
 * @param count how many are chosen, on whatever pages of the list
 * @param children the acts, shown while something is chosen
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
  /** All of the page are chosen. */
  isAllSelected: boolean;
  onSelectAll: () => void;
  onClear: () => void;
  children: ReactNode;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const all = useRef<HTMLInputElement>(null);
  const isNone = count === 0;
  const wasNone = useRef(isNone);
  useEffect(() => {
    // The button that was pressed goes with the acts.
    if (isNone && !wasNone.current && isLosingFocus(bar.current)) all.current?.focus();
    wasNone.current = isNone;
  }, [isNone]);

  return (
    <div
      ref={bar}
      className={classes.bar}
      role="group"
      aria-label={label}
      data-solid={status !== "" || undefined}
      data-chosen={!isNone || undefined}
    >
      <Checkbox
        ref={all}
        label="Choose all on this page"
        classNames={{ label: classes.hint }}
        checked={isAllSelected}
        indeterminate={!isNone && !isAllSelected}
        onChange={isAllSelected ? onClear : onSelectAll}
      />
      <span className={classes.words} role="status">
        {status}
      </span>
      {!isNone && (
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Choose none"
            title="Choose none"
            onClick={onClear}
          >
            <IconX size={14} />
          </ActionIcon>
          <div className={classes.acts}>{children}</div>
        </>
      )}
    </div>
  );
}

/** Nowhere, in the bar or in a dialog that closes; not on a row that was unchosen, or in the search. */
function isLosingFocus(bar: Element | null): boolean {
  const { activeElement: now } = document;
  if (now === null || now === document.body || !now.isConnected) return true;
  return bar?.contains(now) === true || now.closest("[role=dialog]") !== null;
}
