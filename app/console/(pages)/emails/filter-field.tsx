"use client";

import { TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

const DEBOUNCE_MS = 350;

/** A text filter, applied as you type. It follows the URL unless it has the focus. */
export function FilterField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (document.activeElement === field.current) return;
    clearTimeout(timer.current);
    setDraft(value);
  }, [value]);
  return (
    <TextInput
      ref={field}
      size="sm"
      label={label}
      placeholder={hint}
      maxLength={200}
      value={draft}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setDraft(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(text.trim()), DEBOUNCE_MS);
      }}
    />
  );
}
