import { Radio, Stack } from "@mantine/core";
import type { ReactNode } from "react";

type Choice<Value extends string> = { value: Value; label: string; help: string };

/** Radio buttons below each other, each with a line that says what it means. */
export const RadioList = <Value extends string>({
  choices,
  ...group
}: {
  label: ReactNode;
  description?: ReactNode;
  choices: Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}) => (
  <Radio.Group size="md" inputWrapperOrder={["label", "description", "input", "error"]} {...group}>
    <Stack gap="xs" mt="xs">
      {choices.map(({ value, label, help }) => (
        <Radio key={value} size="md" value={value} label={label} description={help} />
      ))}
    </Stack>
  </Radio.Group>
);
