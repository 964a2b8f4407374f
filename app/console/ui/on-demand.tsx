"use client";

import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/**
 * A component whose script is loaded when it is first shown, or when `preload` is called. Only its own place waits for it, unlike
 * with `next/dynamic`, which would also be part of every page's scripts.
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
