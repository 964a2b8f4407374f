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
  const count = Object.keys(filters).filter((name) => name !== search).length;
  const [isOpen, { toggle }] = useDisclosure(count > 0);
  return (
    <>
      <FiltersButton count={count} isOpen={isOpen} onClick={toggle} className={classes.toggle} />
      <div className={classes.filters} data-open={isOpen || undefined}>
        {children}
      </div>
    </>
  );
}

type FiltersButtonProps = {
  /** How many filters are set. */
  count: number;
  isOpen: boolean;
  onClick: () => void;
  className?: string;
};

/** Opens and closes a list's filters. */
export const FiltersButton = ({ count, isOpen, ...props }: FiltersButtonProps) => (
  <Button
    variant="default"
    leftSection={<IconAdjustmentsHorizontal size={14} />}
    aria-expanded={isOpen}
    {...props}
  >
    {count === 0 ? "Filters" : `Filters (${count})`}
  </Button>
);
