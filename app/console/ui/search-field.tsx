"use client";

import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";

import classes from "./search-field.module.css";

/** How long nothing is typed before the list follows. */
const PAUSE_MS = 250;

/**
 * Searches a list as one types. `/` leads into it from anywhere on the page.
 *
 * @param asked what the URL says; it is followed while nobody types here
 * @param what names what is searched: "mailboxes"
 * @param hint what may be typed: "Address or name"
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
  const [typed, setTyped] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (document.activeElement === field.current) return;
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  // Before anybody sees the list: a key that is pressed then is not lost.
  useLayoutEffect(() => {
    const lead = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.metaKey || event.ctrlKey || event.altKey) return;
      const own = "input:not([type=checkbox]), textarea, select, [role=dialog]";
      if (event.target instanceof Element && event.target.closest(own)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", lead);
    return () => document.removeEventListener("keydown", lead);
  }, []);
  return (
    <TextInput
      ref={field}
      size="sm"
      className={classes.search}
      aria-label={`Search ${noun}`}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} />}
      type="search"
      maxLength={200}
      value={typed}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
      }}
    />
  );
}
