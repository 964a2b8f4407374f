"use client";

import Link, { useLinkStatus } from "next/link";
import { type ComponentProps, useEffect, useState } from "react";

import { beginWaiting } from "#app/console/waiting.ts";

/** A link that prefetches its page on hover, focus or touch, instead of when it scrolls into view. */
export function PrefetchLink({ children, ...link }: ComponentProps<typeof Link>) {
  const [shouldPrefetch, setShouldPrefetch] = useState(false);
  const startPrefetch = () => setShouldPrefetch(true);
  return (
    <Link
      {...link}
      prefetch={shouldPrefetch}
      onMouseEnter={startPrefetch}
      onFocus={startPrefetch}
      onTouchStart={startPrefetch}
    >
      {children}
      <PendingNavigation />
    </Link>
  );
}

/** Reports pending navigation to the progress line. */
function PendingNavigation() {
  const { pending } = useLinkStatus();
  useEffect(() => (pending ? beginWaiting() : undefined), [pending]);
  return null;
}
