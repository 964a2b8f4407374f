import { useLayoutEffect, useRef } from "react";

/**
 * `j` and `k` move focus between links marked `data-row-link`, and `x` toggles the row's checkbox.
 * Ignored while typing and in dialogs.
 */
export function useRowShortcuts<Element extends HTMLElement>() {
  const element = useRef<Element>(null);

  // A layout effect, so that no key pressed after the first paint is lost.
  useLayoutEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (isTyping(event)) return;
      const links = [...(element.current?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
      const here = links.findIndex((link) => rowOf(link).contains(document.activeElement));
      if (event.key === "x" && links[here])
        rowOf(links[here]).querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const next = links[Math.min(Math.max(here + step, 0), links.length - 1)];
      next?.focus();
    }
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, []);

  return element;
}

const rowOf = (link: HTMLElement) => link.closest("[role=row]") ?? link;

function isTyping(event: KeyboardEvent): boolean {
  if (event.metaKey || event.ctrlKey || event.altKey) return true;
  if (!(event.target instanceof Element)) return false;
  const own = "input:not([type=checkbox]), textarea, select, [role=dialog]";
  return event.target.closest(own) !== null;
}
