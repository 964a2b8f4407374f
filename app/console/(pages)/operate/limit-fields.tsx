import { TextInput, type TextInputProps } from "@mantine/core";

import { LIMIT_FIELDS, type LimitTexts } from "./plan-limits.ts";

/** One field for each limit of a plan or company. */
export function LimitFields({ field }: { field: (name: keyof LimitTexts) => TextInputProps }) {
  return LIMIT_FIELDS.map(({ name, help }) => (
    <TextInput
      key={name}
      {...field(name)}
      description={help}
      inputMode="numeric"
      autoComplete="off"
      maw={360}
    />
  ));
}
