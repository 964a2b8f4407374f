import { useEffect, useLayoutEffect } from "react";

import { pageText } from "./texts.tsx";

/** What a page would lose if it were left, and its place in the history. */
type Guard = { text: string; state: unknown; url: string };

/** By component, the last one at the end. */
const guards = new Map<object, Guard>();

type Leaving = ((leave: () => void) => void) | null;

let ask: Leaving = null;

/**
 * Asks before the page is left by a link, a shortcut, the search, Back, or by closing the tab, while that would lose
 * something (`isNeeded`).
 *
 * @param text what would be lost
 */
export function useLeaveGuard(isNeeded = true, text = pageText("leave.secret")): void {
  useWarnBeforeUnload(isNeeded);
  // A layout effect, because a link can be clicked before other effects run.
  useLayoutEffect(() => {
    if (!isNeeded) return;
    const key = {};
    guards.set(key, { text, state: history.state as unknown, url: location.href });
    return () => void guards.delete(key);
  }, [isNeeded, text]);
}

export const currentGuard = (): Guard | undefined => [...guards.values()].at(-1);

/** Allows leaving the page without asking. */
export const clearGuards = (): void => guards.clear();

/** Sets the function that asks the question, and calls `leave` if the answer is yes. */
export const setAsker = (asker: Leaving): void => void (ask = asker);

let hold: Leaving = null;

/** Sets the function that keeps `leave` for later, while other pages can't be loaded; null for none. */
export const setHolder = (holder: Leaving): void => void (hold = holder);

/** Runs `leave`, which opens another page, after asking if the current one has a guard. */
export function leavePage(leave: () => void): void {
  if (hold) hold(leave);
  else if (ask && currentGuard()) ask(leave);
  else leave();
}

/** Where a click leads in this tab; null for anything but a link to another of our pages. */
export function linkedPage(event: MouseEvent): string | null {
  const { button, ctrlKey, metaKey, shiftKey, altKey, target } = event;
  const opensHere = button === 0 && ![ctrlKey, metaKey, shiftKey, altKey].includes(true);
  if (!opensHere || !(target instanceof Element)) return null;
  const link = target.closest<HTMLAnchorElement>("a[href]:not([target=_blank], [download])");
  if (link?.origin !== location.origin || link.pathname === location.pathname) return null;
  return link.pathname + link.search + link.hash;
}

/** While `isNeeded`, the browser asks before the tab is closed or reloaded. */
export function useWarnBeforeUnload(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isNeeded]);
}
