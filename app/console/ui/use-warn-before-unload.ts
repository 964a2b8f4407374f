import { useEffect } from "react";

/** Asks before the tab is closed or reloaded, while that would lose something (`isNeeded`). */
export function useWarnBeforeUnload(isNeeded = true): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isNeeded]);
}
