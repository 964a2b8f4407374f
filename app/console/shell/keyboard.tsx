import { useRouter } from "next/navigation";
import { useLayoutEffect, useRef, useState } from "react";

import type { Me } from "#app/console/session.ts";
import { leavePage } from "#app/console/ui/leave-guard.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";

import type { NavigationGroup } from "./navigation.ts";
import { goToShortcuts, OPEN_PALETTE, OPEN_SHORTCUTS } from "./shortcuts.ts";

const Palette = onDemand(() => import("./palette.tsx").then((module) => module.Palette));
const ShortcutList = onDemand(() => import("./palette.tsx").then((module) => module.ShortcutList));

/** Time to press a letter after `g`. */
const SECOND_KEY_MS = 1_500;

/**
 * Keyboard shortcuts on every page: Ctrl/Cmd K opens the palette, `g` and a letter goes to a page, `?`
 * lists shortcuts. Letters are ignored while typing and in dialogs.
 */
export function KeyboardShortcuts({ me, groups }: { me: Me; groups: NavigationGroup[] }) {
  const [palette, setPalette] = useState<"unused" | "open" | "closed">("unused");
  const [isListed, setIsListed] = useState(false);
  const router = useRouter();
  const wentAt = useRef(-Infinity);
  const letters = goToShortcuts(groups);
  // The search must also open offline.
  Palette.usePreload();

  // A layout effect, so that no key pressed after the first paint is lost.
  useLayoutEffect(() => {
    const ask = () => setPalette("open");
    const list = () => setIsListed(true);
    function handleKey(event: KeyboardEvent) {
      if (isPaletteKey(event)) {
        event.preventDefault();
        ask();
        return;
      }
      if (isIgnored(event)) return;
      const isSecond = event.timeStamp - wentAt.current < SECOND_KEY_MS;
      wentAt.current = -Infinity;
      const place = isSecond ? letters.get(event.key) : undefined;
      if (place) leavePage(() => router.push(place.href));
      else if (event.key === "g") wentAt.current = event.timeStamp;
      else if (event.key === "?") list();
      else return;
      // `g k` goes to API keys: lists must not treat `k` as "previous row".
      event.stopImmediatePropagation();
    }
    // Capture phase: runs before the lists' own handlers.
    window.addEventListener("keydown", handleKey, true);
    window.addEventListener(OPEN_PALETTE, ask);
    window.addEventListener(OPEN_SHORTCUTS, list);
    return () => {
      window.removeEventListener("keydown", handleKey, true);
      window.removeEventListener(OPEN_PALETTE, ask);
      window.removeEventListener(OPEN_SHORTCUTS, list);
    };
  });

  return (
    <>
      {palette !== "unused" && (
        <Palette me={me} isOpen={palette === "open"} onClose={() => setPalette("closed")} />
      )}
      {isListed && <ShortcutList letters={letters} onClose={() => setIsListed(false)} />}
    </>
  );
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;

function isIgnored({ metaKey, ctrlKey, altKey, target }: KeyboardEvent): boolean {
  if (metaKey || ctrlKey || altKey) return true;
  if (!(target instanceof Element)) return false;
  const own =
    "input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]";
  return target.closest(own) !== null || document.querySelector("[role=dialog]") !== null;
}
