import { Anchor } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

/** For `RichText`: a function that turns the text inside a tag into a link to a page of `/account`. */
export const accountLink = (href: string) => (words: ReactNode) => (
  <Anchor component={Link} href={href} inherit underline="always">
    {words}
  </Anchor>
);
