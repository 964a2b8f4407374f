"use client";

import { TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

/** How long nothing is typed before the list follows. */
const PAUSE_MS = 350;

/** A filter that is typed. The list follows as one types; the URL is followed while nobody types here. */
export function FilterField({
  label,
  hint,
  asked,
  onChange,
}: {
  label: string;
  hint: string;
  asked: string;
  onChange: (text: string) => void;
}) {
  const [typed, setTyped] = useState(asked);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (document.activeElement === field.current) return;
    clearTimeout(timer.current);
    setTyped(asked);
  }, [asked]);
  return (
    <TextInput
      ref={field}
      size="sm"
      label={label}
      placeholder={hint}
      maxLength={200}
      value={typed}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(text.trim()), PAUSE_MS);
      }}
    />
  );
}
