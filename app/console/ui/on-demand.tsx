"use client";

import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/**
 * Loads a component's script when it is first shown, or when `preload` is called. Only the component waits, not the page around it.
 * `next/dynamic` would also add its own code to every page.
 *
 * @param loading shown until then
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: ReactNode,
) {
  const Loaded = lazy(async () => ({ default: await load() }));
  const OnDemand = (props: Props) => (
    <Suspense fallback={loading}>
      <Loaded {...props} />
    </Suspense>
  );
  // If this fails, showing the component reports the error.
  return Object.assign(OnDemand, { preload: () => void load().catch(() => {}) });
}
