import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import { leavePage, linkedPage } from "#app/console/ui/leave-guard.ts";

/**
 * While offline, keeps clicked links from opening the browser's error page, and follows the last one once online.
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
      const href = linkedPage(event);
      if (href === null) return;
      event.preventDefault();
      event.stopPropagation();
      waiting = href;
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
