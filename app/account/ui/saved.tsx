import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { StatusDot } from "#app/console/ui/status.tsx";

/** A success message, announced to screen readers. */
export function SavedNotice({ children = "Saved." }: { children?: ReactNode }) {
  return (
    <Text role="status" size="sm" mt="sm">
      <StatusDot tone="done" /> {children}
    </Text>
  );
}
