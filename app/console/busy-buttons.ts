import { useEffect } from "react";

/**
 * Ignores clicks on busy buttons and submissions of forms whose button is busy. Busy buttons stay enabled, because a
 * disabled one would lose the focus.
 */
export function useBusyButtons(): void {
  useEffect(() => {
    const ignore = (event: Event) => {
      if (!isBusy(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // In the capture phase, so that no component sees the event.
    window.addEventListener("click", ignore, true);
    window.addEventListener("submit", ignore, true);
    return () => {
      window.removeEventListener("click", ignore, true);
      window.removeEventListener("submit", ignore, true);
    };
  }, []);
}

function isBusy({ type, target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  return type === "submit"
    ? target.querySelector('button[type="submit"][aria-busy="true"]') !== null
    : target.closest('button[aria-busy="true"]') !== null;
}
