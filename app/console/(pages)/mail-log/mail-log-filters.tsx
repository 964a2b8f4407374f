import { Box, ComboboxChevron, InputBase, Skeleton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import type { NavigationArea } from "#app/console/shell/navigation.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { FilterBar, FoldedFilters } from "#app/console/ui/filter-bar.tsx";
import { MoreFilters, TimeFilters } from "#app/console/ui/filter-fields.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

/**
 * The filters of one tab, kept in the URL.
 *
 * @param search the current search text
 * @param searchFilters maps a search text to filters
 * @param children the tab's chips
 */
export function MailLogFilters({
  area,
  filters,
  hint,
  search,
  searchFilters,
  children,
}: {
  area: NavigationArea;
  filters: { client?: string; company?: string; mailbox?: string; from?: string; to?: string };
  hint: string;
  search: string;
  searchFilters: (text: string) => Record<string, string>;
  children: ReactNode;
}) {
  const { client, company = "", mailbox, from, to } = filters;
  return (
    <FilterBar>
      <SearchField
        noun="the mail log"
        placeholder={hint}
        value={search}
        onSearch={(text) => updateSearch(searchFilters(text), "replace")}
      />
      <FoldedFilters filters={filters} search={client === undefined ? "search" : "client"}>
        {children}
        {mailbox && <MailboxChip mailbox={mailbox} />}
        {area === "operate" && <CompanyFilter value={company} />}
        <MoreFilters
          isUsed={Boolean(from ?? to)}
          beside={Object.values(filters).some(Boolean) && <ClearFiltersButton />}
        >
          <TimeFilters from={from} to={to} />
        </MoreFilters>
      </FoldedFilters>
    </FilterBar>
  );
}

const MailboxChip = ({ mailbox }: { mailbox: string }) => (
  <FilterChips label="Mailbox">
    <FilterChip label={mailbox} change={{ mailbox: "" }} isActive />
  </FilterChips>
);

const CompanySelect = onDemand(
  () => import("./company-select.tsx").then((module) => module.CompanySelect),
  <Skeleton height={36} />,
);

/** A button until it is pressed, which loads the combobox. */
function CompanyFilter({ value }: { value: string }) {
  const [isOpen, select] = useDisclosure();
  return (
    <Box w={{ base: "100%", sm: 240 }}>
      {isOpen || value !== "" ? (
        <CompanySelect value={value} isOpen={isOpen} />
      ) : (
        <InputBase
          component="button"
          type="button"
          pointer
          size="sm"
          rightSection={<ComboboxChevron size="sm" />}
          onPointerEnter={CompanySelect.preload}
          onFocus={CompanySelect.preload}
          onClick={select.open}
        >
          All companies
        </InputBase>
      )}
    </Box>
  );
}

/** The URL of the newest entries with these filters. */
export function filtersUrl(filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).filter((pair): pair is [string, string] => !!pair[1]);
  return `?${new URLSearchParams(given).toString()}`;
}
