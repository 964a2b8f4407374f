import { useEffect } from "react";

/** Asks before the tab is closed or reloaded while `isLoss`, which means something would be lost. */
export function useWarnBeforeUnload(isLoss = true): void {
  useEffect(() => {
    if (!isLoss) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isLoss]);
}
