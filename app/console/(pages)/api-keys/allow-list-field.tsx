"use client";

import { Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { covers } from "./covers.ts";
import { entriesOf } from "./key-words.ts";
import type { KeyChoices } from "./queries.ts";

const ROWS_MIN = 2;
const ROWS_MAX = 10;

/** The addresses that may use a key, one a line. */
export function AllowListField({
  value,
  onChange,
  choices,
  error,
}: {
  value: string;
  onChange: (text: string) => void;
  choices: KeyChoices | undefined;
  error: string | null;
}) {
  return (
    <div>
      <Textarea
        name="allowed_addresses"
        label="Allowed addresses"
        description="IP addresses or CIDR ranges of the servers that use this key, one a line. Empty: from anywhere."
        placeholder={"203.0.113.7\n2001:db8::/32"}
        size="md"
        rows={Math.min(Math.max(value.split("\n").length, ROWS_MIN), ROWS_MAX)}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      {choices && <Notes entries={entriesOf(value)} choices={choices} />}
    </div>
  );
}

/** What follows from the list, for information: a key is used by servers. */
function Notes({ entries, choices }: { entries: string[]; choices: KeyChoices }) {
  const { your_address: yours, company_addresses: company } = choices;
  const isCovered = useQuery({
    queryKey: ["covers", entries, yours],
    queryFn: () => covers(entries, yours),
    enabled: entries.length > 0,
  });
  return (
    <Text size="xs" c="dimmed" mt={4} role="status">
      {entries.length > 0 &&
        isCovered.data === false &&
        `You are at ${yours}, which is not on this list: the key will not work from here. `}
      {company.length > 0 &&
        `Calls must come from an address on your company's list too: ${company.slice(0, 3).join(", ")}${company.length > 3 ? " and more" : ""}.`}
    </Text>
  );
}
