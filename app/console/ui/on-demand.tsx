"use client";

import { type ComponentType, lazy, type ReactNode, Suspense, useEffect } from "react";

/** Late enough not to compete with the page's own scripts. */
const PRELOAD_AFTER_MS = 3_000;

/**
 * Loads a component's script when it is first shown, or when `preload` is called, or soon after the page if it calls
 * `usePreload`. Only the component waits, not the page around it, even while offline. `next/dynamic` would also add its own
 * code to every page.
 *
 * @param loading shown until then
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: ReactNode,
) {
  const Loaded = lazy(async () => ({ default: await load().catch(retryOnline(load)) }));
  const OnDemand = (props: Props) => (
    <Suspense fallback={loading}>
      <Loaded {...props} />
    </Suspense>
  );
  // If this fails, showing the component reports the error.
  const preload = () => void load().catch(() => {});
  const usePreload = () =>
    useEffect(() => {
      const timer = setTimeout(preload, PRELOAD_AFTER_MS);
      return () => clearTimeout(timer);
    }, []);
  return Object.assign(OnDemand, { preload, usePreload });
}

/** While offline, an error would replace the page. */
const retryOnline =
  <Result,>(load: () => Promise<Result>) =>
  async (error: unknown): Promise<Result> => {
    if (typeof window === "undefined" || navigator.onLine) throw error;
    await new Promise((resolve) => window.addEventListener("online", resolve, { once: true }));
    // The event can come before the network works.
    return load().catch(() => new Promise((resolve) => setTimeout(resolve, 2_000)).then(load));
  };
