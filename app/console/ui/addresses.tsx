"use client";

import { Pill, TagsInput, type TagsInputProps, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { type FocusEvent, useState } from "react";

import { change, read } from "#app/console/console-client.ts";

import classes from "./addresses.module.css";
import { looksLikeAddress } from "./form/checks.ts";
import { VERBATIM } from "./form/verbatim.ts";

const DEBOUNCE_MS = 150;

/** Single characters match nearly everything. */
const QUERY_LENGTH_MIN = 2;

type Kind = "mailbox" | "group";

const suggestionsQuery = (q: string, kinds: readonly Kind[]) =>
  queryOptions({
    queryKey: ["address suggestions", q, kinds],
    queryFn: () => read("overview.search", { query: { q, kinds: kinds.join(",") } }),
    enabled: kinds.length > 0 && q.length >= QUERY_LENGTH_MIN,
    placeholderData: keepPreviousData,
  });

const unknownQuery = (addresses: string[]) =>
  queryOptions({
    queryKey: ["unknown addresses", addresses],
    queryFn: () =>
      change("groups.checkAddresses", {
        body: { addresses },
      }),
    enabled: addresses.length > 0,
    placeholderData: keepPreviousData,
  });

type Field = {
  name: string;
  value: string[];
  onChange: (entries: string[]) => void;
} & Pick<TagsInputProps, "label" | "aria-label" | "description" | "error" | "onBlur" | "onFocus">;

type Rules = {
  checks?: boolean | undefined;
  takesDomains?: boolean | undefined;
  takesNames?: boolean | undefined;
};

/**
 * A field for several addresses, typed or pasted, with suggestions from the company's mailboxes and groups. Marks entries
 * that aren't addresses, and with `checks`, unknown ones at the company's own domains.
 *
 * @param suggests what to suggest; the server adds only what the admin can see
 * @param checks marks unknown addresses; requires `manage_groups`
 * @param takesDomains whether `@example.com` is an entry too
 * @param takesNames whether the part before the @ is enough
 */
export function AddressPicker({
  suggests = ["mailbox", "group"],
  checks,
  takesDomains,
  takesNames,
  value,
  onChange,
  ...field
}: Field & Rules & { suggests?: readonly Kind[] }) {
  const rules = { checks, takesDomains, takesNames };
  const [text, setText] = useState("");
  const results = useSuggestions(text.trim(), suggests);
  const details = new Map(results.map(({ id, detail }) => [id, detail]));
  const { malformed, unknown } = useProblems(value, rules);

  const change = (entries: string[]) => onChange([...new Set(entries.flatMap(parseAddresses))]);

  /** Adds what was typed. A new line of entries during a click would move the pressed button away: add after it. */
  function handleBlur(event: FocusEvent<HTMLInputElement>) {
    field.onBlur?.(event);
    if (text.trim() === "") return;
    const add = () => {
      change([...value, text]);
      setText("");
    };
    const { relatedTarget } = event;
    if (relatedTarget instanceof Element && relatedTarget.matches(":active"))
      document.addEventListener("pointerup", add, { once: true, capture: true });
    else add();
  }

  return (
    <div>
      <TagsInput
        {...field}
        size="md"
        value={value}
        onChange={change}
        acceptValueOnBlur={false}
        onBlur={handleBlur}
        searchValue={text}
        onSearchChange={setText}
        splitChars={[",", ";"]}
        // Enter takes the first suggestion, unless a whole address was typed.
        selectFirstOptionOnChange={looksLikeAddress(text.trim(), null) !== null}
        data={results.map(({ id }) => id)}
        // The server has searched.
        filter={({ options }) => options}
        renderOption={({ option }) => (
          <span className={classes.option}>
            {option.value} <span className={classes.detail}>{details.get(option.value)}</span>
          </span>
        )}
        renderPill={({ value: entry = "", onRemove }) => (
          <Pill
            size="md"
            withRemoveButton
            onRemove={() => onRemove?.()}
            removeButtonProps={{
              "aria-label": `Remove ${entry}`,
              "aria-hidden": false,
              tabIndex: 0,
            }}
            data-wrong={malformed.includes(entry) || unknown.includes(entry) || undefined}
            className={classes.pill}
          >
            {entry}
          </Pill>
        )}
        comboboxProps={{ withinPortal: false }}
        {...VERBATIM}
      />
      <Text size="sm" role="status" className={classes.problems}>
        {describeEntries(malformed, "a valid address", "valid addresses")}
        {describeEntries(unknown, "an address of your company", "addresses of your company")}
      </Text>
    </div>
  );
}

function useSuggestions(text: string, kinds: readonly Kind[]) {
  const [wanted] = useDebouncedValue(text, DEBOUNCE_MS);
  const { data } = useQuery(suggestionsQuery(wanted, kinds));
  return text.length < QUERY_LENGTH_MIN || kinds.length === 0 ? [] : (data?.data ?? []);
}

function useProblems(value: string[], { checks, takesDomains, takesNames }: Rules) {
  const isAllowed = (entry: string) =>
    (takesDomains && /^@[^@\s]+\.[^@\s]+$/.test(entry)) || (takesNames && !entry.includes("@"));
  const wellFormed = value.filter((entry) => looksLikeAddress(entry, null) === null);
  const malformed = value.filter((entry) => !wellFormed.includes(entry) && !isAllowed(entry));
  const { data } = useQuery(unknownQuery(checks ? wellFormed : []));
  // Results of an earlier check may contain removed entries.
  const unknown = checks ? (data?.unknown.filter((entry) => value.includes(entry)) ?? []) : [];
  return { malformed, unknown };
}

/** "lou isn’t a valid address. " */
function describeEntries(entries: string[], one: string, several: string): string {
  if (entries.length === 0) return "";
  return entries.length === 1
    ? `${entries[0]} isn’t ${one}. `
    : `${entries.slice(0, -1).join(", ")} and ${entries.at(-1)} aren’t ${several}. `;
}

/** Parses pasted addresses separated by newlines, commas, semicolons, or spaces, optionally in <>. */
export function parseAddresses(text: string): string[] {
  const found = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).trim().toLowerCase())
    .flatMap((part) => part.split(/\s+/))
    .filter((part) => part !== "");
  return [...new Set(found)];
}
