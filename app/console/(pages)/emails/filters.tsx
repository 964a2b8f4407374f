"use client";

import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { COUNTS, countWords } from "#app/console/(pages)/metrics/metric-words.ts";
import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import {
  type EmailFilters,
  FILTER_NAMES,
  filtersIn,
  NO_KEY,
  searchOf,
  statesIn,
  withState,
} from "./email-filters.ts";
import { states } from "./email-status.tsx";
import { FilterField } from "./filter-field.tsx";
import classes from "./filters.module.css";
import { type EmailChoices, emailChoicesQuery, type EmailStatus } from "./queries.ts";

type Show = (change: EmailFilters) => void;

/** What is typed comes later than what was chosen meanwhile: the URL of this moment is changed. */
const show: Show = (change) =>
  showSearch(searchOf({ ...filtersIn(new URLSearchParams(window.location.search)), ...change }));

/** Which emails the list shows; kept in the URL. */
export function Filters({ filters }: { filters: EmailFilters }) {
  const further = FILTER_NAMES.slice(1).filter((name) => name !== "status" && filters[name]);
  const [isOpen, setIsOpen] = useState(further.length > 0);
  const count = further.length === 0 ? "" : ` (${further.length})`;
  return (
    <div className={classes.filters} role="search">
      <div className={classes.first}>
        <SearchField
          what="emails by recipient"
          hint="Recipient"
          asked={filters.recipient ?? ""}
          onSearch={(recipient) => show({ recipient })}
        />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={14} />}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {`Filters${count}`}
        </Button>
        {Object.keys(filters).length > 0 && (
          <Button variant="subtle" size="xs" onClick={() => showSearch("?")}>
            Clear filters
          </Button>
        )}
      </div>
      <div className={classes.states} data-open={isOpen || Boolean(filters.status)}>
        <StateChips filters={filters} />
      </div>
      {isOpen && <FurtherFilters filters={filters} />}
    </div>
  );
}

function StateChips({ filters }: { filters: EmailFilters }) {
  const chosen = statesIn(filters);
  return (
    <Chips label="Status">
      <Chip word="Any" href={searchOf({ ...filters, status: "" })} isOn={chosen.length === 0} />
      {(Object.keys(states) as EmailStatus[]).map((state) => (
        <Chip
          key={state}
          word={states[state].word}
          href={searchOf(withState(filters, state))}
          isOn={chosen.includes(state)}
        />
      ))}
    </Chips>
  );
}

function FurtherFilters({ filters }: { filters: EmailFilters }) {
  const { data: choices } = useQuery(emailChoicesQuery);
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      size="sm"
      label={label}
      value={filters[name] ?? ""}
      onChange={(event) => show({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <div className={classes.more}>
      <FilterField
        label="Subject"
        hint="All of these words"
        asked={filters.subject ?? ""}
        onChange={(subject) => show({ subject })}
      />
      <FilterField
        label="Tag"
        hint="name or name=value"
        asked={filters.tag ?? ""}
        onChange={(tag) => show({ tag })}
      />
      <NativeSelect
        size="sm"
        label="Event"
        value={filters.event ?? ""}
        data={[
          { value: "", label: "Any" },
          ...COUNTS.map((name) => ({ value: name, label: countWords[name] })),
        ]}
        onChange={(change) => show({ event: change.currentTarget.value })}
      />
      <Choice name="domain" label="Domain" all="All domains" {...{ filters, choices }} />
      <Choice name="key" label="Sent by" all="Anything" {...{ filters, choices }} />
      {day("from", "From")}
      {day("to", "To")}
    </div>
  );
}

/** A filter that is chosen. What the URL names is offered, though it may be gone. */
function Choice({
  name,
  label,
  all,
  filters,
  choices,
}: {
  name: "domain" | "key";
  label: string;
  all: string;
  filters: EmailFilters;
  choices: EmailChoices | undefined;
}) {
  const offered = name === "domain" ? domainsIn(choices) : keysIn(choices);
  const value = filters[name] ?? "";
  const isOffered = value === "" || offered.some((option) => option.value === value);
  return (
    <NativeSelect
      size="sm"
      label={label}
      value={value}
      data={[
        { value: "", label: all },
        ...offered,
        ...(isOffered ? [] : [{ value, label: "The one in the address" }]),
      ]}
      onChange={(event) => show({ [name]: event.currentTarget.value })}
    />
  );
}

const domainsIn = (choices?: EmailChoices) =>
  (choices?.domains ?? []).map(({ id, name }) => ({ value: id, label: name }));

const keysIn = (choices?: EmailChoices) => [
  { value: NO_KEY, label: "Console" },
  ...(choices?.keys ?? []).map(({ id, name, is_revoked }) => ({
    value: id,
    label: is_revoked ? `${name} (revoked)` : name,
  })),
];
