import Link from "next/link";

import { formatCount } from "#app/console/ui/format.ts";

/** A count that links to its emails, if there are any to open. */
export function CountLink({ count, href }: { count: number; href: string | null }) {
  return href && count > 0 ? <Link href={href}>{formatCount(count)}</Link> : formatCount(count);
}
