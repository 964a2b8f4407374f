import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";

import classes from "./search-field.module.css";

const DEBOUNCE_MS = 250;

type SearchFieldProps = {
  value: string;
  onSearch: (search: string) => void;
  noun: string;
  placeholder: string;
};

/**
 * Searches a list as you type. `/` focuses it from anywhere on the page.
 *
 * @param value the search in the URL, which the field follows unless it has focus
 * @param noun what is searched: "mailboxes"
 */
export function SearchField({ value, onSearch, noun, placeholder }: SearchFieldProps) {
  const field = useTypedText(value, onSearch, DEBOUNCE_MS);
  const { ref } = field;
  // A layout effect, so that no key pressed after the first paint is lost.
  useLayoutEffect(() => {
    const focusOnSlash = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.metaKey || event.ctrlKey || event.altKey) return;
      const own = "input:not([type=checkbox]), textarea, select, [role=dialog]";
      if (event.target instanceof Element && event.target.closest(own)) return;
      event.preventDefault();
      ref.current?.focus();
    };
    document.addEventListener("keydown", focusOnSlash);
    return () => document.removeEventListener("keydown", focusOnSlash);
  }, [ref]);
  return (
    <TextInput
      size="sm"
      className={classes.search}
      aria-label={`Search ${noun}`}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} />}
      type="search"
      maxLength={200}
      {...field}
    />
  );
}

/**
 * The text of a field that applies itself a moment after the last key, or when the field loses the focus: a change of the
 * URL after a link was clicked would make Next drop the navigation. It follows `value` unless it has the focus.
 *
 * @param apply receives the trimmed text
 * @returns the field's properties
 */
export function useTypedText(value: string, apply: (text: string) => void, delayMs: number) {
  const [typed, setTyped] = useState(value);
  const ref = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (document.activeElement === ref.current) return;
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  function applyNow(text: string) {
    clearTimeout(timer.current);
    timer.current = undefined;
    apply(text.trim());
  }
  return {
    ref,
    value: typed,
    onChange(event: { currentTarget: { value: string } }) {
      const text = event.currentTarget.value;
      setTyped(text);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => applyNow(text), delayMs);
    },
    onBlur: () => timer.current !== undefined && applyNow(typed),
  };
}
