import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import { leavePage, linkedPage, setHolder } from "#app/console/ui/leave-guard.ts";

/**
 * While offline, keeps links, shortcuts and the search from opening the browser's error page, and follows the last one once online.
 *
 * @returns whether a page waits to be opened
 */
export function useOfflineLinks(isOnline: boolean): boolean {
  const router = useRouter();
  const [isWaiting, setIsWaiting] = useState(false);

  useEffect(() => {
    if (isOnline) return;
    let waiting = null as (() => void) | null;
    const hold = (leave: () => void) => {
      waiting = leave;
      setIsWaiting(true);
    };
    const holdLink = (event: MouseEvent) => {
      const href = linkedPage(event);
      if (href === null) return;
      event.preventDefault();
      event.stopPropagation();
      hold(() => router.push(href));
    };
    setHolder(hold);
    // Before the link's own handler. On the document, because `useRowClicks` handles drags on the window first.
    document.addEventListener("click", holdLink, true);
    return () => {
      setHolder(null);
      document.removeEventListener("click", holdLink, true);
      setIsWaiting(false);
      if (waiting && navigator.onLine) leavePage(waiting);
    };
  }, [isOnline, router]);

  return isWaiting;
}
