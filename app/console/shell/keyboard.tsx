"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useLayoutEffect, useRef, useState } from "react";

import type { Me } from "#app/console/session-queries.ts";

import type { NavigationGroup } from "./navigation.ts";
import { lettersOf } from "./shortcuts.ts";

const Palette = dynamic(() => import("./palette.tsx").then((module) => module.Palette));
const ShortcutList = dynamic(() =>
  import("./shortcut-list.tsx").then((module) => module.ShortcutList),
);

/** How long after `g` its letter may come. */
const SECOND_KEY_MS = 1_500;

/** What asks from elsewhere: a button of the shell. */
export const ASK_PALETTE = "posthouse:palette";
export const ASK_KEYS = "posthouse:keys";

/**
 * The keys that work on every page: Ctrl or Command and K for the palette, `g` and a letter to go, `?`
 * for the list of them. Letters are the field's own while one types, and the dialog's while one is open.
 */
export function Keyboard({ me, groups }: { me: Me; groups: NavigationGroup[] }) {
  const [asked, setAsked] = useState(0);
  const [isListed, setIsListed] = useState(false);
  const router = useRouter();
  const wentAt = useRef(-Infinity);
  const letters = lettersOf(groups);

  // Before anybody sees what the keys are for: nothing that is pressed then is lost.
  useLayoutEffect(() => {
    const ask = () => setAsked((times) => times + 1);
    const list = () => setIsListed(true);
    function handleKey(event: KeyboardEvent) {
      if (isPaletteKey(event)) {
        event.preventDefault();
        ask();
        return;
      }
      if (isTaken(event)) return;
      const isSecond = event.timeStamp - wentAt.current < SECOND_KEY_MS;
      wentAt.current = -Infinity;
      const place = isSecond ? letters.get(event.key) : undefined;
      if (place) router.push(place.href);
      else if (event.key === "g") wentAt.current = event.timeStamp;
      else if (event.key === "?") list();
      else return;
      // Not for those who listen further down: `g` and `k` leads to the keys, not to the row before.
      event.stopImmediatePropagation();
    }
    // Before the lists, whose rows `j` and `k` walk.
    window.addEventListener("keydown", handleKey, true);
    window.addEventListener(ASK_PALETTE, ask);
    window.addEventListener(ASK_KEYS, list);
    return () => {
      window.removeEventListener("keydown", handleKey, true);
      window.removeEventListener(ASK_PALETTE, ask);
      window.removeEventListener(ASK_KEYS, list);
    };
  });

  return (
    <>
      {asked > 0 && <Palette me={me} asked={asked} />}
      {isListed && <ShortcutList letters={letters} onClose={() => setIsListed(false)} />}
    </>
  );
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;

function isTaken({ metaKey, ctrlKey, altKey, target }: KeyboardEvent): boolean {
  if (metaKey || ctrlKey || altKey) return true;
  if (!(target instanceof Element)) return false;
  const own =
    "input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]";
  return target.closest(own) !== null || document.querySelector("[role=dialog]") !== null;
}
