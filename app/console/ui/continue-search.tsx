"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";

import { ExactTime } from "./time.tsx";

/** Shown when a search stopped at its row limit: how far it got, and a link to continue. */
export function ContinueSearch({
  searchedTo,
}: {
  searchedTo: { id: string; created_at: string } | null;
}) {
  const pathname = usePathname();
  const search = useSearchParams();
  if (!searchedTo) return null;
  const older = new URLSearchParams(search);
  older.delete("before");
  older.set("after", searchedTo.id);
  return (
    <Text mt="md" role="status">
      Searched back to <ExactTime at={searchedTo.created_at} />.{" "}
      <Anchor component={Link} href={`${pathname}?${older.toString()}`} inherit underline="always">
        Search older entries
      </Anchor>
    </Text>
  );
}
