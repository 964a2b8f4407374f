"use client";

import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useLayoutEffect } from "react";

import { useTypedText } from "./use-typed-text.ts";
import classes from "./search-field.module.css";

const DEBOUNCE_MS = 250;

/**
 * Searches a list as you type. `/` focuses it from anywhere on the page.
 *
 * @param value the search in the URL, which the field follows unless it has focus
 * @param noun what is searched: "mailboxes"
 */
export function SearchField({
  value,
  onSearch,
  noun,
  placeholder,
}: {
  value: string;
  onSearch: (search: string) => void;
  noun: string;
  placeholder: string;
}) {
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
