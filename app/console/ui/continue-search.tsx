"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";

import { ExactTime } from "./time.tsx";

/** Where a search ended without having seen the whole list, and the way on from there. */
export function ContinueSearch({
  searchedTo,
}: {
  searchedTo: { id: string; created_at: string } | null;
}) {
  const pathname = usePathname();
  const search = useSearchParams();
  if (!searchedTo) return null;
  const further = new URLSearchParams(search);
  further.delete("before");
  further.set("after", searchedTo.id);
  return (
    <Text mt="md" role="status">
      Searched back to <ExactTime at={searchedTo.created_at} />.{" "}
      <Anchor
        component={Link}
        href={`${pathname}?${further.toString()}`}
        inherit
        underline="always"
      >
        Search further back
      </Anchor>
    </Text>
  );
}
