import { useEffect, useRef } from "react";

/**
 * `j` and `k` move the focus along the links marked `data-row-link` within the element; Enter is theirs.
 * Not out of a dialog, whose keys are its own.
 */
export function useRowKeys<Element extends HTMLElement>() {
  const element = useRef<Element>(null);

  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || isTyping(event)) return;
      const links = [...(element.current?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
      const here = links.findIndex((link) => link === document.activeElement);
      const next = links[Math.min(Math.max(here + step, 0), links.length - 1)];
      next?.focus();
    }
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, []);

  return element;
}

function isTyping(event: KeyboardEvent): boolean {
  if (event.metaKey || event.ctrlKey || event.altKey) return true;
  if (!(event.target instanceof Element)) return false;
  return event.target.closest("input, textarea, select, [role=dialog]") !== null;
}
