"use client";

import { TextInput } from "@mantine/core";

import { useTypedText } from "#app/console/ui/search-field.tsx";

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
  const field = useTypedText(value, onChange, DEBOUNCE_MS);
  return <TextInput size="sm" label={label} placeholder={hint} maxLength={200} {...field} />;
}
