import { useEffect, useRef, useState } from "react";

/**
 * The text of a field that applies itself a moment after the last key. It follows `value` unless it has the focus.
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
  return {
    ref,
    value: typed,
    onChange(event: { currentTarget: { value: string } }) {
      const text = event.currentTarget.value;
      setTyped(text);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => apply(text.trim()), delayMs);
    },
  };
}
