import { Button, Group, TextInput, type TextInputProps } from "@mantine/core";
import { type ReactNode, useState } from "react";

import { fromDateTimeLocal, toDateTimeLocal } from "./datetime-local.ts";
import { updateSearch } from "./url-search.ts";

type MoreFiltersProps = { isUsed: boolean; beside: ReactNode; children: ReactNode };

/**
 * A line of fields below the other filters, and the button that opens it.
 *
 * @param isUsed whether one of the fields has a value, so that the line can't be closed
 * @param beside what follows the button
 */
export function MoreFilters({ isUsed, beside, children }: MoreFiltersProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {!isUsed && (
        <Button
          variant="subtle"
          size="xs"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Fewer filters" : "More filters"}
        </Button>
      )}
      {beside}
      {(isOpen || isUsed) && (
        <Group
          gap="8px 12px"
          align="flex-end"
          w="100%"
          style={{ order: 1 }}
          preventGrowOverflow={false}
        >
          {children}
        </Group>
      )}
    </>
  );
}

type FilterInputProps = Omit<TextInputProps, "value" | "onChange"> & {
  value: string;
  onValue: (text: string) => void;
};

/** A text field that applies its value on blur or Enter. */
export const FilterInput = ({ value, onValue, ...props }: FilterInputProps) => (
  <TextInput
    key={value}
    size="sm"
    flex={{ base: "1 1 140px", sm: "none" }}
    autoComplete="off"
    defaultValue={value}
    {...props}
    onBlur={(event) => {
      const text = event.currentTarget.value.trim();
      if (text !== value) onValue(text);
    }}
    onKeyDown={(event) => {
      if (event.key === "Enter") event.currentTarget.blur();
    }}
  />
);

/** A range of times, kept in the URL as `from` and `to`. */
export const TimeFilters = (range: { from?: string | undefined; to?: string | undefined }) =>
  (["from", "to"] as const).map((name) => (
    <FilterInput
      key={name}
      label={name === "from" ? "From" : "To"}
      type="datetime-local"
      value={toDateTimeLocal(range[name])}
      onValue={(text) => updateSearch({ [name]: fromDateTimeLocal(text) })}
    />
  ));
