import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { useUnfilteredSearch } from "./clear-filters.tsx";
import { EmptyState } from "./panel.tsx";
import { navigateInPlace } from "./url-search.ts";

/** Shown instead of a list without rows that match the filters. */
export function NoResults({ noun, hint }: { noun: string; hint?: string | undefined }) {
  const clear = useUnfilteredSearch();
  return (
    <div role="status">
      <EmptyState title={`No matching ${noun}`}>
        <Text>
          {hint && `${hint} `}
          Try other filters, or{" "}
          <Anchor
            component={Link}
            underline="always"
            href={clear}
            onNavigate={navigateInPlace(clear)}
          >
            clear filters
          </Anchor>
          .
        </Text>
      </EmptyState>
    </div>
  );
}
