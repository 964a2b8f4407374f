"use client";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import classes from "./mail-log.module.css";
import type { Kind, LogFilters } from "./queries.ts";
import { kinds } from "./reply-words.ts";

/** An IP address or a network is looked for among clients, all else in what was said. */
const IS_NETWORK = /^[0-9a-f:.]*[.:][0-9a-f:.]*[0-9a-f:](\/\d{1,3})?$/i;

/** Which answers the list shows; kept in the URL. */
export function Filters({ filters }: { filters: LogFilters }) {
  const { kind, company = "" } = filters;
  const asked = filters.client ?? filters.search ?? "";
  const words = IS_NETWORK.test(asked) ? { client: asked } : { search: asked };
  return (
    <div className={classes.filters} role="search">
      <SearchField
        what="the mail log"
        hint="Address, reply or client's IP"
        asked={asked}
        onSearch={(text) =>
          showSearch(
            addressOf({
              ...{ kind: kind ?? "", company },
              ...(IS_NETWORK.test(text) ? { client: text } : { search: text }),
            }),
          )
        }
      />
      <Chips label="Kind">
        <Chip word="All" href={addressOf({ ...words, company })} isOn={!kind} />
        {(Object.keys(kinds) as Kind[]).map((each) => (
          <Chip
            key={each}
            word={kinds[each].word}
            href={addressOf({ ...words, company, kind: each })}
            isOn={each === kind}
          />
        ))}
      </Chips>
    </div>
  );
}

function addressOf(filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).filter((pair): pair is [string, string] => !!pair[1]);
  return `?${new URLSearchParams(given).toString()}`;
}
