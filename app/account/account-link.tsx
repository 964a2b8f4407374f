import { Anchor } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

/** Returns what turns words of a text into a link, for `RichText`. */
export const accountLink = (href: string) => (words: ReactNode) => (
  <Anchor component={Link} href={href} inherit underline="always">
    {words}
  </Anchor>
);
