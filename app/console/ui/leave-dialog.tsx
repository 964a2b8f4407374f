import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import { ConfirmDialog } from "./dialog.tsx";
import { clearGuards, currentGuard, leavePage, linkedPage, setAsker } from "./leave-guard.ts";
import { useTexts } from "./texts.tsx";

type Question = { text: string; leave: () => void };

/** The dialog of `useLeaveGuard`, for links and Back, too. */
export function LeaveDialog() {
  const text = useTexts();
  const [question, setQuestion] = useState<Question | null>(null);
  const router = useRouter();
  useEffect(() => {
    setAsker((leave) => setQuestion({ leave, text: currentGuard()!.text }));
    function handleClick(event: MouseEvent) {
      // Offline, `useOfflineLinks` keeps the click, and asks when it follows it.
      const href = currentGuard() && navigator.onLine ? linkedPage(event) : null;
      if (href === null) return;
      event.preventDefault();
      event.stopPropagation();
      leavePage(() => router.push(href));
    }
    function handleBack(event: PopStateEvent) {
      const guard = currentGuard();
      if (!guard) return;
      // The router must not see it. The page gets a new entry after the one that Back went to.
      event.stopImmediatePropagation();
      history.pushState(guard.state, "", guard.url);
      leavePage(() => history.back());
    }
    // In the capture phase: before the router and the links.
    // On the document, because `useRowClicks` handles drags on the window first.
    document.addEventListener("click", handleClick, true);
    window.addEventListener("popstate", handleBack, true);
    return () => {
      setAsker(null);
      document.removeEventListener("click", handleClick, true);
      window.removeEventListener("popstate", handleBack, true);
    };
  }, [router]);

  function handleConfirm(): Promise<void> {
    clearGuards();
    question?.leave();
    return Promise.resolve();
  }

  return (
    <ConfirmDialog
      isOpen={question !== null}
      onClose={() => setQuestion(null)}
      title={text("leave.title")}
      confirmLabel={text("leave.confirm")}
      cancelLabel={text("leave.stay")}
      onConfirm={handleConfirm}
    >
      {question?.text}
    </ConfirmDialog>
  );
}
