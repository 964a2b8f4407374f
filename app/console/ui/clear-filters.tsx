import { Button } from "@mantine/core";
import { useSearchParams } from "next/navigation";

import { replaceSearch } from "./url-search.ts";

/** Parameters that choose how a list is shown, not which rows. */
const KEPT = ["tab", "by", "sort", "hide"];

/** The query string of a list without its filters. */
export function useUnfilteredSearch(): string {
  const search = useSearchParams();
  const kept = KEPT.flatMap((name) => {
    const value = search.get(name);
    return value === null ? [] : [[name, value]];
  });
  return `?${new URLSearchParams(kept).toString()}`;
}

export function ClearFiltersButton() {
  const search = useUnfilteredSearch();
  return (
    <Button variant="subtle" size="xs" onClick={() => replaceSearch(search, "push")}>
      Clear filters
    </Button>
  );
}
