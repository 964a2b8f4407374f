import { Text, Textarea, type TextareaProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { VERBATIM } from "#app/console/ui/form/verbatim.ts";

import type { KeyChoices } from "./queries.ts";

const ROWS_MIN = 2;
const ROWS_MAX = 10;

type AllowListFieldProps = {
  field: TextareaProps & { value: string };
  choices: KeyChoices | undefined;
};

export function AllowListField({ field, choices }: AllowListFieldProps) {
  const { value } = field;
  return (
    <div>
      <Textarea
        {...field}
        description="IP addresses or CIDR ranges that can use this key, one per line. Leave empty to allow all."
        placeholder={"203.0.113.7\n2001:db8::/32"}
        size="md"
        rows={Math.min(Math.max(value.split("\n").length, ROWS_MIN), ROWS_MAX)}
        {...VERBATIM}
      />
      {choices && <AllowListNotes entries={parseAllowList(value)} choices={choices} />}
    </div>
  );
}

/** Hints only: it is fine if the reader's own address can't use a key that servers use. */
function AllowListNotes({ entries, choices }: { entries: string[]; choices: KeyChoices }) {
  const { yourAddress: yours, companyAddresses: company } = choices;
  const includesYours = useQuery({
    queryKey: ["allow-list-includes", entries, yours],
    queryFn: () => includesAddress(entries, yours),
    enabled: entries.length > 0,
  });
  return (
    <Text size="xs" c="dimmed" mt={4} role="status">
      {entries.length > 0 &&
        includesYours.data === false &&
        `Your IP address (${yours}) isn’t on this list, so the key won’t work from here. `}
      {company.length > 0 &&
        `Requests must also come from an address on your company’s allow-list: ${company.slice(0, 3).join(", ")}${company.length > 3 ? " and more" : ""}.`}
    </Text>
  );
}

/** Splits an allow-list at whitespace, commas and semicolons. */
export const parseAllowList = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/**
 * Whether an allow-list includes the address, or null if an entry is invalid, for example while it is being
 * typed. Only for a hint: the server enforces the list.
 */
export async function includesAddress(list: string[], address: string): Promise<boolean | null> {
  const { default: ipaddr } = await import("ipaddr.js");
  try {
    const caller = ipaddr.process(address);
    return list
      .map((entry) => {
        if (!entry.includes("/")) return ipaddr.process(entry).toString() === caller.toString();
        const [network, bits] = ipaddr.parseCIDR(entry);
        return network.kind() === caller.kind() && caller.match(network, bits);
      })
      .some(Boolean);
  } catch {
    return null;
  }
}
