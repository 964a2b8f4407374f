import { Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { countLabels, COUNTS } from "#app/console/(pages)/metrics/metric-labels.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { FilterBar, FiltersButton } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips, withSelected } from "#app/console/ui/filter-chips.tsx";
import { SearchField, useTypedText } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";
import { EMAIL_STATUSES, EVENT_TYPES } from "#server/universal/event-types.ts";

import classes from "./emails.module.css";
import {
  type EmailChoices,
  emailChoicesQuery,
  type EmailFilterParams,
  FILTER_NAMES,
  NO_KEY,
  parseEmailFilters,
  statusesIn,
  toggleStatus,
} from "./queries.ts";

type EmailFilterBarProps = { filters: EmailFilterParams; children: ReactNode };

/** @param children tools, on the right */
export function EmailFilterBar({ filters, children }: EmailFilterBarProps) {
  const applied = FILTER_NAMES.slice(1).filter(
    (name) => name !== "status" && name !== "mode" && filters[name],
  );
  const [isOpen, setIsOpen] = useState(applied.length > 0);
  return (
    <Stack gap={10} mb="xs">
      <FilterBar>
        <SearchField
          noun="emails by recipient, subject, or ID"
          placeholder="Recipient, subject, or ID"
          value={filters.search ?? ""}
          onSearch={(search) => updateSearch({ search }, "replace")}
        />
        <FiltersButton count={applied.length} isOpen={isOpen} onClick={() => setIsOpen(!isOpen)} />
        {Object.keys(filters).length > 0 && <ClearFiltersButton />}
        {children}
      </FilterBar>
      <Group
        gap="6px 16px"
        {...(!isOpen && !filters.status && !filters.mode && { visibleFrom: "sm" })}
      >
        <ModeChips filters={filters} />
        <StatusChips filters={filters} />
      </Group>
      {isOpen && <MoreEmailFilters filters={filters} />}
    </Stack>
  );
}

const ModeChips = ({ filters }: { filters: EmailFilterParams }) => (
  <FilterChips label="Mode">
    <FilterChip label="Live" change={{ mode: "" }} isActive={filters.mode !== "test"} />
    <FilterChip label="Test" change={{ mode: "test" }} isActive={filters.mode === "test"} />
  </FilterChips>
);

function StatusChips({ filters }: { filters: EmailFilterParams }) {
  const selected = statusesIn(filters);
  return (
    <FilterChips label="Status">
      <FilterChip label="All" change={{ status: "" }} isActive={selected.length === 0} />
      {EMAIL_STATUSES.map((state) => (
        <FilterChip
          key={state}
          label={EVENT_TYPES[`email.${state}`].label}
          change={(current) => ({ status: toggleStatus(parseEmailFilters(current), state) })}
          isActive={selected.includes(state)}
        />
      ))}
    </FilterChips>
  );
}

function MoreEmailFilters({ filters }: { filters: EmailFilterParams }) {
  const { data: choices } = useQuery(emailChoicesQuery);
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      size="sm"
      label={label}
      value={filters[name] ?? ""}
      onChange={(event) => updateSearch({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm" p="md" className={classes.sunken}>
      <FilterField
        label="Recipient"
        hint="Part of the address"
        value={filters.recipient ?? ""}
        onChange={(recipient) => updateSearch({ recipient }, "replace")}
      />
      <FilterField
        label="Subject"
        hint="All of these words"
        value={filters.subject ?? ""}
        onChange={(subject) => updateSearch({ subject }, "replace")}
      />
      <FilterField
        label="Tag"
        hint="name or name=value"
        value={filters.tag ?? ""}
        onChange={(tag) => updateSearch({ tag }, "replace")}
      />
      <NativeSelect
        size="sm"
        label="Event"
        value={filters.event ?? ""}
        data={[
          { value: "", label: "All events" },
          ...COUNTS.map((name) => ({ value: name, label: countLabels[name] })),
        ]}
        onChange={(change) => updateSearch({ event: change.currentTarget.value })}
      />
      <FilterSelect
        name="domain"
        label="Domain"
        all="All domains"
        filters={filters}
        choices={choices}
      />
      <FilterSelect
        name="key"
        label="Sent by"
        all="All senders"
        filters={filters}
        choices={choices}
      />
      {day("from", "From")}
      {day("to", "To")}
    </SimpleGrid>
  );
}

type FilterSelectProps = {
  name: "domain" | "key";
  label: string;
  all: string;
  filters: EmailFilterParams;
  choices: EmailChoices | undefined;
};

/** A select filter. A value from the URL stays selectable even if it no longer exists. */
function FilterSelect({ name, label, all, filters, choices }: FilterSelectProps) {
  const offered = name === "domain" ? domainOptions(choices) : keyOptions(choices);
  const value = filters[name] ?? "";
  return (
    <NativeSelect
      size="sm"
      label={label}
      value={value}
      data={[{ value: "", label: all }, ...withSelected(offered, value, "Unknown (from the URL)")]}
      onChange={(event) => updateSearch({ [name]: event.currentTarget.value })}
    />
  );
}

const domainOptions = (choices?: EmailChoices) =>
  (choices?.domains ?? []).map(({ id, name }) => ({ value: id, label: name }));

const keyOptions = (choices?: EmailChoices) => [
  { value: NO_KEY, label: "Console" },
  ...(choices?.keys ?? []).map(({ id, name, isRevoked }) => ({
    value: id,
    label: isRevoked ? `${name} (revoked)` : name,
  })),
];

const DEBOUNCE_MS = 350;

type FilterFieldProps = {
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
};

/** A text filter, applied as you type. It follows the URL unless it has the focus. */
function FilterField({ label, hint, value, onChange }: FilterFieldProps) {
  const field = useTypedText(value, onChange, DEBOUNCE_MS);
  return <TextInput size="sm" label={label} placeholder={hint} maxLength={200} {...field} />;
}
