"use client";

import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { apiKeysQuery } from "#app/console/(pages)/api-keys/queries.ts";
import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import classes from "./filters.module.css";
import { MoreFilters } from "./more-filters.tsx";
import { type LogFilters, METHODS } from "./queries.ts";

const CLASSES = [
  { value: "2xx", word: "Succeeded" },
  { value: "4xx", word: "Refused" },
  { value: "5xx", word: "Failed" },
];

/** Which requests the list shows; kept in the URL. */
export function Filters({ filters, live }: { filters: LogFilters; live: ReactNode }) {
  const [isMore, setIsMore] = useState(false);
  const change = (fields: Partial<Record<keyof LogFilters, string>>) =>
    addressOf({ ...filters, ...fields });
  const show = (fields: Partial<Record<keyof LogFilters, string>>) => showSearch(change(fields));
  const isRare = asksForRare(filters);
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          what="requests"
          hint="Path, such as /emails"
          asked={filters.endpoint ?? ""}
          onSearch={(path) => show({ endpoint: path === "" ? "" : path.replace(/^\/*/, "/") })}
        />
        <StatusChips status={filters.status} addressFor={(status) => change({ status })} />
        <div className={classes.live}>{live}</div>
      </div>
      <div className={classes.line}>
        <NativeSelect
          aria-label="Method"
          size="sm"
          data={[{ value: "", label: "Any method" }, ...METHODS]}
          value={filters.method ?? ""}
          onChange={(event) => show({ method: event.currentTarget.value })}
        />
        <KeySelect value={filters.api_key} onChange={(key) => show({ api_key: key })} />
        {!isRare && (
          <Button
            variant="subtle"
            size="xs"
            aria-expanded={isMore}
            onClick={() => setIsMore(!isMore)}
          >
            {isMore ? "Fewer filters" : "More filters"}
          </Button>
        )}
        {Object.keys(filters).length > 0 && (
          <Button variant="subtle" size="xs" onClick={() => showSearch("?")}>
            Clear filters
          </Button>
        )}
      </div>
      {(isMore || isRare) && <MoreFilters filters={filters} onChange={show} />}
    </div>
  );
}

/** An exact status has a chip of its own, which takes it away. */
function StatusChips({
  status = "",
  addressFor,
}: {
  status: string | undefined;
  addressFor: (status: string) => string;
}) {
  return (
    <Chips label="Status">
      <Chip word="All" href={addressFor("")} isOn={status === ""} />
      {CLASSES.map(({ value, word }) => (
        <Chip key={value} word={word} href={addressFor(value)} isOn={status === value} />
      ))}
      {isExact(status) && <Chip word={status} href={addressFor("")} isOn />}
    </Chips>
  );
}

const isExact = (status = "") => status !== "" && !status.endsWith("xx");
const asksForRare = ({ status, user_agent: agent, from, to }: LogFilters) =>
  isExact(status) || [agent, from, to].some(Boolean);

/** By name; one that is revoked or beyond the first page keeps its id. */
function KeySelect({
  value = "",
  onChange,
}: {
  value: string | undefined;
  onChange: (id: string) => void;
}) {
  const keys = useQuery(apiKeysQuery({}, "active"));
  const known = (keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = value === "" || known.some((each) => each.value === value);
  if (known.length === 0 && isKnown) return null;
  return (
    <NativeSelect
      aria-label="API key"
      size="sm"
      className={classes.key}
      data={[
        { value: "", label: "Any API key" },
        ...known,
        ...(isKnown ? [] : [{ value, label: `Key ${value.slice(0, 8)}` }]),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Another choice begins at the newest again. */
function addressOf(filters: Record<string, string>): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
