import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import type { ReactNode } from "react";

import classes from "./filter-bar.module.css";

/** A list's search, filters and tools, in a row that wraps. */
export const FilterBar = ({ children }: { children: ReactNode }) => (
  <div className={classes.bar} role="search">
    {children}
  </div>
);

type FoldedFiltersProps = { filters: object; search?: string; children: ReactNode };

/**
 * The filters after a search. On phones, a button opens them, unless one is set.
 *
 * @param filters those that are set, by name
 * @param search the name of the one that is the search
 */
export function FoldedFilters({ filters, search = "search", children }: FoldedFiltersProps) {
  const [isOpen, { toggle }] = useDisclosure(Object.keys(filters).some((name) => name !== search));
  return (
    <>
      <Button
        variant="default"
        className={classes.toggle}
        leftSection={<IconAdjustmentsHorizontal size={14} />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        Filters
      </Button>
      <div className={classes.filters} data-open={isOpen || undefined}>
        {children}
      </div>
    </>
  );
}
