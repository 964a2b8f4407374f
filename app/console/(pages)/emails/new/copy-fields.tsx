import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";

import type { ComposeFields } from "./compose-fields.ts";
import type { ComposeValues } from "./compose-values.ts";
import { LABELS } from "./labels.ts";

const FIELDS = ["cc", "bcc", "replyTo"] as const;

/** Cc, Bcc and Reply-To, each behind a button until it is needed. */
export function CopyFields({ form, values }: { form: ComposeFields; values: ComposeValues }) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const isOpen = (name: (typeof FIELDS)[number]) => opened.includes(name) || values[name] !== "";
  const closed = FIELDS.filter((name) => !isOpen(name));
  return (
    <>
      {FIELDS.filter(isOpen).map((name) => (
        <TextInput
          key={name}
          {...form.field(name)}
          autoFocus={opened.at(-1) === name && values[name] === ""}
          autoCapitalize="off"
          spellCheck={false}
        />
      ))}
      {closed.length > 0 && (
        <Group gap="xs">
          {closed.map((name) => (
            <Button
              key={name}
              size="xs"
              variant="default"
              onClick={() => setOpened([...opened, name])}
            >
              Add {LABELS[name]}
            </Button>
          ))}
        </Group>
      )}
    </>
  );
}
