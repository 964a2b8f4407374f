import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";

import { ExactTime } from "./time.tsx";

export type SearchedTo = { id: string; createdAt: string };

/** Shown when a search stopped at its row limit: how far it got, and a link to continue. */
export function ContinueSearch({ searchedTo }: { searchedTo: SearchedTo | null }) {
  const pathname = usePathname();
  const search = useSearchParams();
  if (!searchedTo) return null;
  const next = new URLSearchParams(search);
  next.delete("before");
  next.set("after", searchedTo.id);
  return (
    <Text mt="md" role="status">
      Searched {search.get("sort") === "created" ? "up to" : "back to"}{" "}
      <ExactTime at={searchedTo.createdAt} />.{" "}
      <Anchor component={Link} href={`${pathname}?${next.toString()}`} inherit underline="always">
        Continue search
      </Anchor>
    </Text>
  );
}
