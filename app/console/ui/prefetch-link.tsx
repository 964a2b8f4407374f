"use client";

import Link, { useLinkStatus } from "next/link";
import { type ComponentProps, useEffect, useState } from "react";

import { beginWaiting } from "#app/console/waiting.ts";

/**
 * A link to another page, which is fetched as soon as the pointer, the focus or a finger is on it: then it
 * is there when it is asked for, and no page is rendered for links that are only seen.
 */
export function PrefetchLink({ children, ...link }: ComponentProps<typeof Link>) {
  const [isNear, setIsNear] = useState(false);
  const fetch = () => setIsNear(true);
  return (
    <Link {...link} prefetch={isNear} onMouseEnter={fetch} onFocus={fetch} onTouchStart={fetch}>
      {children}
      <Waiting />
    </Link>
  );
}

/** Counts as waiting while the page that was asked for is on its way. */
function Waiting() {
  const { pending } = useLinkStatus();
  useEffect(() => (pending ? beginWaiting() : undefined), [pending]);
  return null;
}
