import { focusManager } from "@tanstack/react-query";
import { useEffect } from "react";

const IDLE_AFTER_MS = 5 * 60_000;

/** Stops the periodic refetches while the page isn't used, so that a page left open doesn't keep its session in use. */
export function usePauseWhenIdle(): void {
  useEffect(() => {
    const pause = () => focusManager.setFocused(false);
    let timer = setTimeout(pause, IDLE_AFTER_MS);
    const resume = () => {
      clearTimeout(timer);
      timer = setTimeout(pause, IDLE_AFTER_MS);
      // Undefined leaves it to the tab's visibility.
      focusManager.setFocused(undefined);
    };
    const options = { capture: true, passive: true };
    const events = ["pointerdown", "pointermove", "keydown", "wheel"] as const;
    for (const event of events) window.addEventListener(event, resume, options);
    return () => {
      clearTimeout(timer);
      for (const event of events) window.removeEventListener(event, resume, options);
    };
  }, []);
}
