import { Pill, PillsInput, type PillsInputProps, Text } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import {
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useState,
} from "react";

import { change, read } from "#app/console/console-client.ts";

import classes from "./addresses.module.css";
import { looksLikeAddress } from "./form/checks.ts";
import { VERBATIM } from "./form/verbatim.ts";

const DEBOUNCE_MS = 150;

/** Single characters match nearly everything. */
const QUERY_LENGTH_MIN = 2;

/** Keys that add what was typed. */
const ENDS_ENTRY = new Set(["Enter", ",", ";"]);

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
  onBlur?: (event: FocusEvent<HTMLInputElement>) => void;
  onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
} & Pick<PillsInputProps, "label" | "aria-label" | "description" | "error">;

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
  onBlur,
  onFocus,
  name,
  "aria-label": ariaLabel,
  ...field
}: Field & Rules & { suggests?: readonly Kind[] }) {
  const rules = { checks, takesDomains, takesNames };
  const [text, setText] = useState("");
  const found = useSuggestions(text.trim(), suggests);
  const suggestions = found.filter(({ id }) => !value.includes(id));
  const list = useSuggestionList(suggestions, looksLikeAddress(text.trim(), null) !== null);
  const { malformed, unknown } = useProblems(value, rules);

  const change = (entries: string[]) => onChange([...new Set(entries.flatMap(parseAddresses))]);

  function type(entered: string) {
    setText(entered);
    list.restart();
  }

  function add(entry: string) {
    change([...value, entry]);
    type("");
  }

  function handleKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (list.handleKey(event.key)) event.preventDefault();
    else if (ENDS_ENTRY.has(event.key) && text.trim() !== "") {
      event.preventDefault();
      add((event.key === "Enter" && list.selected) || text);
    } else if (event.key === "Backspace" && text === "") onChange(value.slice(0, -1));
  }

  function handlePaste(event: ClipboardEvent) {
    event.preventDefault();
    add(text + event.clipboardData.getData("text/plain"));
  }

  /** Adds what was typed. A new line of entries during a click would move the pressed button away: add after it. */
  function handleBlur(event: FocusEvent<HTMLInputElement>) {
    onBlur?.(event);
    list.close();
    if (text.trim() === "") return;
    const { relatedTarget } = event;
    if (relatedTarget instanceof Element && relatedTarget.matches(":active"))
      document.addEventListener("pointerup", () => add(text), { once: true, capture: true });
    else add(text);
  }

  return (
    <div className={classes.picker}>
      <PillsInput {...field} size="md">
        <Pill.Group>
          {value.map((entry) => (
            <Pill
              key={entry}
              size="md"
              withRemoveButton
              onRemove={() => onChange(value.filter((other) => other !== entry))}
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
          ))}
          <PillsInput.Field
            role="combobox"
            aria-label={ariaLabel}
            aria-autocomplete="list"
            aria-expanded={list.isShown}
            aria-controls={list.id}
            aria-activedescendant={list.selectedId}
            // Escape closes the suggestions first, then the dialog.
            data-mantine-stop-propagation={list.isShown || undefined}
            name={name}
            value={text}
            onChange={(event) => type(event.currentTarget.value)}
            onKeyDown={handleKey}
            onPaste={handlePaste}
            onFocus={onFocus}
            onBlur={handleBlur}
            {...VERBATIM}
          />
        </Pill.Group>
      </PillsInput>
      <div
        id={list.id}
        role="listbox"
        aria-label="Suggestions"
        hidden={!list.isShown}
        className={classes.list}
      >
        {suggestions.map(({ id, detail }, index) => (
          // The field handles the keys.
          <div
            key={id}
            id={list.optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={id === list.selected}
            className={classes.option}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => add(id)}
          >
            {id} <span className={classes.detail}>{detail}</span>
          </div>
        ))}
      </div>
      <Text size="sm" role="status" className={classes.problems}>
        {(malformed.length > 1 || !field.error) &&
          describeEntries(malformed, "a valid address", "valid addresses")}
        {describeEntries(unknown, "an address of your company", "addresses of your company")}
      </Text>
    </div>
  );
}

/**
 * The suggestions below the field, which the arrow keys select.
 *
 * @param selectsFirst whether Enter takes the first one unless another was selected
 */
function useSuggestionList(suggestions: { id: string }[], selectsFirst: boolean) {
  const id = useId();
  const [isOpen, list] = useDisclosure();
  const [moved, setMoved] = useState<string | null>(null);
  const isShown = isOpen && suggestions.length > 0;
  const movedTo = suggestions.findIndex((each) => each.id === moved);
  const at = movedTo === -1 && selectsFirst ? 0 : movedTo;

  /** Returns whether the key was for the list. */
  function handleKey(key: string): boolean {
    if (key === "Escape") list.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step === undefined || suggestions.length === 0) return false;
    list.open();
    const next = step === 1 ? (at + 1) % suggestions.length : Math.max(at, 0) - 1;
    setMoved(suggestions.at(next)!.id);
    return true;
  }

  function restart() {
    list.open();
    setMoved(null);
  }

  const selected = isShown ? suggestions[at]?.id : undefined;
  const optionId = (index: number) => `${id}-${index}`;
  const selectedId = selected && optionId(at);
  useEffect(() => {
    if (selectedId) document.getElementById(selectedId)?.scrollIntoView({ block: "nearest" });
  }, [selectedId]);
  return { id, isShown, selected, selectedId, optionId, handleKey, restart, close: list.close };
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
