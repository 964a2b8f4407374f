import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { inPlace } from "#app/console/ui/show-search.ts";

/** In place of a list in which nothing fits. */
export function NothingFound({ isSearching }: { isSearching: boolean }) {
  if (isSearching)
    return (
      <EmptyList title="Nothing so far">
        <Text c="dimmed">The search goes further back, to the first of your emails.</Text>
      </EmptyList>
    );
  return (
    <EmptyList title="No email fits">
      <Text c="dimmed">
        Look for less, or{" "}
        <Anchor component={Link} underline="always" href="?" onNavigate={inPlace("?")}>
          show all emails
        </Anchor>
        .
      </Text>
    </EmptyList>
  );
}
