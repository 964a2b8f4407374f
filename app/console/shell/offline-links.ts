import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import { leavePage } from "#app/console/ui/leave-guard.ts";

/**
 * While offline, keeps a click on a link from ending at the browser's error page, and follows the last one once online.
 *
 * @returns whether a link waits to be followed
 */
export function useOfflineLinks(isOnline: boolean): boolean {
  const router = useRouter();
  const [isWaiting, setIsWaiting] = useState(false);

  useEffect(() => {
    if (isOnline) return;
    let waiting: string | null = null;
    const hold = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(link instanceof HTMLAnchorElement) || !leavesPage(link)) return;
      event.preventDefault();
      event.stopPropagation();
      waiting = link.pathname + link.search + link.hash;
      setIsWaiting(true);
    };
    // In the capture phase, before the link's own handler.
    window.addEventListener("click", hold, true);
    return () => {
      window.removeEventListener("click", hold, true);
      setIsWaiting(false);
      const href = waiting;
      if (href !== null && navigator.onLine) leavePage(() => router.push(href));
    };
  }, [isOnline, router]);

  return isWaiting;
}

/** Links to places on the page work offline. */
const leavesPage = ({ origin, pathname, target }: HTMLAnchorElement) =>
  origin === window.location.origin && pathname !== window.location.pathname && target === "";
