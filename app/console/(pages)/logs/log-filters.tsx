import type { ReactNode } from "react";

import { useQuery } from "@tanstack/react-query";
import { emailChoicesQuery } from "#app/console/(pages)/emails/queries.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { ChoiceChips, FilterSelect, withSelected } from "#app/console/ui/filter-chips.tsx";
import { FoldedFilters } from "#app/console/ui/filter-bar.tsx";
import { FilterInput, MoreFilters, TimeFilters } from "#app/console/ui/filter-fields.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { anyText, type Filters, timestamp, uuid } from "#app/console/ui/url-filters.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;
const STATUS = /^([245]xx|[1-5]\d\d)$/;
const DURATION = /^\d{1,7}$/;
const EXACT_STATUS = /^[1-5]\d\d$/;

const STATUS_CLASSES = {
  "2xx": { label: "Success" },
  "4xx": { label: "Client error" },
  "5xx": { label: "Server error" },
};

export const LOG_FILTERS = {
  status: (text: string) => (STATUS.test(text) ? text : undefined),
  method: (text: string) => METHODS.find((method) => method === text),
  endpoint: anyText,
  apiKey: uuid,
  userAgent: anyText,
  error: anyText,
  address: anyText,
  slowerThan: (text: string) => (DURATION.test(text) ? text : undefined),
  from: timestamp,
  to: timestamp,
};

const MORE = ["error", "address", "slowerThan", "userAgent", "from", "to"] as const;

export type LogFilterParams = Filters<typeof LOG_FILTERS>;

type LogFiltersProps = { filters: LogFilterParams; children: ReactNode };

/** @param children controls beside the filters */
export function LogFilters({ filters, children }: LogFiltersProps) {
  const { endpoint = "", status = "", method, apiKey } = filters;
  const isExact = EXACT_STATUS.test(status);
  return (
    <>
      <SearchField
        noun="requests"
        placeholder="Path, such as /emails"
        value={endpoint}
        onSearch={(path) =>
          updateSearch({ endpoint: path && path.replace(/^\/*/, "/") }, "replace")
        }
      />
      <FoldedFilters filters={filters} search="endpoint">
        <ChoiceChips
          name="status"
          label="Status"
          value={status}
          // An exact status code gets its own chip.
          options={{ ...STATUS_CLASSES, ...(isExact && { [status]: { label: status } }) }}
        />
        <FilterSelect
          name="method"
          label="Method"
          value={method}
          all="All methods"
          data={[...METHODS]}
        />
        <KeySelect value={apiKey} />
        <MoreFilters
          isUsed={isExact || MORE.some((name) => filters[name])}
          beside={
            <>
              {Object.keys(filters).length > 0 && <ClearFiltersButton />}
              {children}
            </>
          }
        >
          <MoreLogFilters status={isExact ? status : ""} filters={filters} />
        </MoreFilters>
      </FoldedFilters>
    </>
  );
}

/** @param status an exact status code, or "" */
const MoreLogFilters = ({
  status,
  filters: { userAgent = "", error = "", address = "", slowerThan = "", from, to },
}: {
  status: string;
  filters: LogFilterParams;
}) => (
  <>
    <FilterInput
      label="Status code"
      placeholder="422"
      inputMode="numeric"
      maxLength={3}
      value={status}
      onValue={(text) => {
        if (text === "" || EXACT_STATUS.test(text)) updateSearch({ status: text });
      }}
    />
    <FilterInput
      label="Error"
      placeholder="Name or message"
      value={error}
      onValue={(text) => updateSearch({ error: text })}
    />
    <FilterInput
      label="IP address"
      placeholder="Starts with"
      value={address}
      onValue={(text) => updateSearch({ address: text })}
    />
    <FilterInput
      label="Took at least (ms)"
      placeholder="1000"
      inputMode="numeric"
      maxLength={7}
      value={slowerThan}
      onValue={(text) => {
        if (text === "" || DURATION.test(text)) updateSearch({ slowerThan: text });
      }}
    />
    <FilterInput
      label="User agent"
      placeholder="Contains"
      value={userAgent}
      onValue={(text) => updateSearch({ userAgent: text })}
    />
    <TimeFilters from={from} to={to} />
  </>
);

/** Active keys, newest first. Another key in the URL is shown by its ID. */
function KeySelect({ value = "" }: { value: string | undefined }) {
  const { data: choices } = useQuery(emailChoicesQuery);
  const known = (choices?.keys ?? [])
    .filter(({ isRevoked }) => !isRevoked)
    .map(({ id, name }) => ({ value: id, label: name }));
  const data = withSelected(known, value, `API key ${value.slice(0, 8)}`);
  if (data.length === 0) return null;
  return (
    <FilterSelect name="apiKey" label="API key" value={value} all="All API keys" data={data} />
  );
}
